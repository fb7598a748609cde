import { useData } from "vitepress";
import { computed } from "vue";

const startOf = (language) => (language === "root" ? "/" : `/${language}/`);

/** Takes the place of the function of the default theme, which links to translations that do not exist. */
export function useLangs() {
  const { site, localeIndex, page } = useData();
  const currentLang = computed(() => ({
    label: site.value.locales[localeIndex.value].label,
    link: startOf(localeIndex.value),
  }));
  const linkTo = (language) => {
    if (language !== "root") return page.value.korean ?? startOf(language);
    return page.value.isNotFound
      ? "/"
      : `/${page.value.relativePath}`.replace(/^\/ko/, "").replace(/(index)?\.md$/, "");
  };
  const localeLinks = computed(() =>
    Object.entries(site.value.locales)
      .filter(([language]) => language !== localeIndex.value)
      .map(([language, { label }]) => ({ text: label, link: linkTo(language) })),
  );
  return { localeLinks, currentLang };
}
