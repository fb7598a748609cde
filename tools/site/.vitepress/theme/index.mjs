/* global document */
import { useData } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { nextTick, onMounted, watch } from "vue";
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

export default {
  extends: DefaultTheme,
  setup() {
    const { page } = useData();
    onMounted(() => watch(() => page.value.relativePath, showActiveLink, { immediate: true, flush: "post" }));
  },
};
