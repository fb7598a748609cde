/* global document */
import { useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { h, nextTick, onMounted, watch } from "vue";
import "./style.css";

/** Brings the link of the page to the middle of the sidebar if it is not in view. */
async function showActiveLink() {
  await nextTick();
  const sidebar = document.querySelector(".VPSidebar");
  const link = sidebar?.querySelector(".is-link.is-active > .item");
  if (!sidebar || !link) return;
  const { top, bottom } = link.getBoundingClientRect();
  const view = sidebar.getBoundingClientRect();
  if (top < view.top || bottom > view.bottom) sidebar.scrollTop += top - view.top - view.height / 2;
}

/** The page of an address that does not exist: where to go, in the language of the address. */
const NotFound = {
  setup() {
    const { theme } = useData();
    return () => {
      const { title, quote, links } = theme.value.notFound;
      const items = links.map(({ text, link }) => h("li", h("a", { href: withBase(link) }, text)));
      return h("div", { class: "NotFound vp-doc", style: "width: fit-content; margin: auto; padding: 64px 24px" }, [
        h("h1", title),
        h("p", quote),
        h("ul", items),
      ]);
    };
  },
};

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "not-found": () => h(NotFound) }),
  setup() {
    const { page } = useData();
    onMounted(() => watch(() => page.value.relativePath, showActiveLink, { immediate: true, flush: "post" }));
  },
};
