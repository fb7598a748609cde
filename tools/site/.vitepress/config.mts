import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { defineConfig } from "vitepress";
import { apiSidebar } from "../api-sidebar.js";
import { anchorOf, servedPath, type LinkTargets } from "../links.js";
import { koreanDescription, koreanSearch, koreanTheme } from "../korean.js";
import { drawnFlowcharts, siteMarkdown } from "../markdown.js";
import { pageFiles, routeOf, sidebarOf } from "../pages.js";
import { boostOf, indexedText } from "../search.js";

// The working directory is the project's root. tools/site.ts has written the pages of the API.

const files = pageFiles();
const groups = sidebarOf(files);
const targets: LinkTargets = { pages: new Set(files), files: new Set() };
const flowcharts = await drawnFlowcharts(files);
const { description } = JSON.parse(readFileSync("package.json", "utf8")) as { description: string };
/** A group leads to its first page, and is marked on all of them. */
const nav = groups.map(({ text = "", items = [] }) => {
  const links = items.map(({ link = "" }) => link);
  const all = links.includes("/api/") ? [...links, "/api/.*"] : links;
  return { text, link: links[0] ?? "/", activeMatch: `^(?:${all.join("|")})$` };
});

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3f7300"/>' +
  '<path d="M4 4h8v8H4zM2 6h2M2 10h2M12 6h2M12 10h2M6 2v2M10 2v2M6 12v2M10 12v2" fill="none" stroke="#fff"/></svg>';

export default defineConfig({
  locales: {
    // Few pages are in Korean: the menu of languages leads from an English page to the first Korean page.
    root: { label: "English", lang: "en", themeConfig: { i18nRouting: false } },
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
