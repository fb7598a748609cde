import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig } from "vitepress";
import { apiSidebar } from "../api-sidebar.js";
import { anchorOf, servedPath, type LinkTargets } from "../links.js";
import { koreanDescription, koreanSearch, koreanTheme } from "../korean.js";
import { drawnFlowcharts, siteMarkdown } from "../markdown.js";
import { koreanOf, linkOf, linksOf, pageFiles, routeOf, sidebarOf } from "../pages.js";
import { boostOf, indexedText } from "../search.js";

// The working directory is the project's root. tools/site.ts has written the pages of the API.

const files = pageFiles();
const groups = sidebarOf(files);
const targets: LinkTargets = { pages: new Set(files), files: new Set() };
const flowcharts = await drawnFlowcharts(files);
const { description } = JSON.parse(readFileSync("package.json", "utf8")) as { description: string };
/** A group leads to its first page after the overview, and is marked on all its pages. */
const nav = groups.map((group) => {
  const links = linksOf(group);
  const all = links.includes("/api/") ? [...links, "/api/.*"] : links;
  return {
    text: group.text ?? "",
    link: links.find((link) => link !== "/") ?? "/",
    activeMatch: `^(?:${all.join("|")})$`,
  };
});

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3f7300"/>' +
  '<path d="M4 4h8v8H4zM2 6h2M2 10h2M12 6h2M12 10h2M6 2v2M10 2v2M6 12v2M10 12v2" fill="none" stroke="#fff"/></svg>';

/** What theme/index.mjs shows for an address that does not exist. */
const notFound = {
  title: "This page does not exist",
  quote: "It may have a new address. Search for its words, or open one of these pages:",
  links: [
    { text: "Overview", link: "/" },
    { text: "First session", link: "/getting-started" },
    { text: "All labs", link: "/labs/" },
    { text: "Triage: why a GPU pod does not run", link: "/triage" },
    { text: "Commands", link: "/commands" },
  ],
};

export default defineConfig({
  locales: {
    root: { label: "English", lang: "en" },
    ko: { label: "한국어", lang: "ko", description: koreanDescription, themeConfig: koreanTheme },
  },
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  title: "eks-gpu-lab",
  description,
  srcDir: "../..",
  srcExclude: [
    "!(docs|tools|examples)/**/*",
    "tools/!(site)/**/*",
    "tools/site/!(api)/**/*",
    "examples/**/!(README).md",
    "examples/*/*/**/*",
  ],
  outDir: "dist",
  // Few pages are in Korean. The menu of languages leads from another page to the first Korean page.
  transformPageData: ({ filePath }) => ({
    ...(existsSync(koreanOf(filePath)) && { korean: linkOf(koreanOf(filePath)) }),
  }),
  vite: {
    resolve: {
      alias: [{ find: /^.*\/composables\/langs$/, replacement: resolve("tools/site/.vitepress/theme/langs.mjs") }],
    },
  },
  rewrites: Object.fromEntries(files.map((file) => [file, routeOf(file)])),
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: anchorOf },
    config: (md) => siteMarkdown(md, targets, flowcharts),
  },
  themeConfig: {
    nav,
    sidebar: { "/": groups, "/api/": apiSidebar("tools/site/api") },
    outline: [2, 3],
    notFound,
    search: {
      provider: "local",
      options: {
        locales: { ko: { translations: koreanSearch } },
        detailedView: true,
        miniSearch: { searchOptions: { boostDocument: boostOf } },
        _render: (source, env: { path: string }, md) =>
          indexedText(relative(process.cwd(), env.path), md.render(source, env)),
      },
    },
  },
  buildEnd: ({ outDir }) => {
    for (const file of targets.files) {
      const copy = join(outDir, servedPath(file));
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(file, copy);
    }
  },
});
