import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { DefaultTheme } from "vitepress" with { "resolution-mode": "import" };

type Item = DefaultTheme.SidebarItem;

// Which Markdown files are pages of the site, where they are on it, and what their group in the sidebar is.

/** A group of the sidebar. A name that ends with / stands for the pages of a folder that no group names. */
interface Group {
  readonly text: string;
  readonly pages: readonly string[];
}

/** The folder of the rules' pages. */
const rules = "docs/policies/";

/** By what a reader wants to do. The first page of a group, after the overview, is its link at the top of each page. */
const groups: readonly Group[] = [
  { text: "Get started", pages: ["README.md", "docs/getting-started.md", "docs/laptop.md", "docs/simulation.md"] },
  {
    text: "Labs",
    // In the order in which to run them. VitePress cannot load the list of stacks/labs.ts; a test compares the two.
    pages: [
      "docs/labs/README.md",
      ...["gpu-lab", "device-plugin", "gpu-rollout", "model-server", "runtime-socket", "nccl-block"].map(labPage),
      ...["node-health", "no-node-comes", "gang-deadlock"].map(labPage),
      ...["docs/labs/", "docs/exercises/", "docs/drill.md"],
    ],
  },
  {
    text: "Operate",
    pages: ["docs/sessions.md", "docs/preflight.md", "docs/changes.md", "docs/recovery.md"],
  },
  {
    text: "Troubleshoot",
    pages: ["docs/triage.md", "docs/conclusions.md", "docs/accidents.md", "docs/alerts.md", "docs/errors.md"],
  },
  { text: "Policies", pages: ["docs/policies/README.md", "docs/pull-requests.md", rules] },
  {
    text: "Library",
    pages: ["docs/library.md", "docs/languages.md", "tools/site/api/README.md", "examples/README.md", "examples/"],
  },
  { text: "Reference", pages: ["docs/commands.md", "docs/configuration.md", "docs/versions.md", "docs/parity.md"] },
  {
    text: "Project",
    pages: ["docs/architecture.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"],
  },
];

/** The titles of pages in the sidebar that are not the pages' own, which would repeat the name of the group. */
const sidebarTitles: Readonly<Record<string, string>> = {
  "README.md": "Overview",
  "docs/getting-started.md": "First session",
  "docs/labs/README.md": "All labs",
};

function labPage(lab: string): string {
  return `docs/labs/${lab}.md`;
}

/** Folders whose pages have other sidebars: TypeDoc orders those of the API itself. */
const ofOtherSidebars = /^(?:tools\/site\/api|docs\/ko)\//;

/** The Markdown files that are pages, by path from the project's root, which is the working directory. */
export function pageFiles(): string[] {
  const nested = ["docs", "tools/site/api"]
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)));
  const examples = ["README.md", ...readdirSync("examples").map((name) => `${name}/README.md`)]
    .map((file) => join("examples", file))
    .filter(existsSync);
  return [...readdirSync("."), ...nested, ...examples].filter((file) => file.endsWith(".md")).sort();
}

/** Where the page of a file is on the site: `docs/labs/README.md` is `labs/index.md`. */
export function routeOf(file: string): string {
  const inSite = file.replace(/^(?:docs|tools\/site)\//, "").replace(/(?<=^|\/)README\.md$/, "index.md");
  return file.includes("/") ? inSite : inSite.toLowerCase();
}

/**
 * The groups of the sidebar, with the title of each page.
 *
 * @throws Error for a page in no group, and for a name in a group that is not a page.
 */
export function sidebarOf(files: readonly string[], titleOf: (file: string) => string = readTitle): Item[] {
  const named = new Set(groups.flatMap(({ pages }) => pages));
  const own = files.filter((file) => !ofOtherSidebars.test(file) || named.has(file));
  const rest = own.filter((file) => !named.has(file));
  const pagesOf = (name: string) => (name.endsWith("/") ? rest.filter((file) => file.startsWith(name)) : [name]);
  const placed = new Set([...named].flatMap(pagesOf));
  const problems = [
    ...own.filter((file) => !placed.has(file)).map((file) => `${file} is in no group.`),
    ...[...named].filter((name) => !name.endsWith("/") && !own.includes(name)).map((name) => `${name} does not exist.`),
  ];
  if (problems.length > 0)
    throw new Error(`The groups in tools/site/pages.ts do not fit the pages:\n${problems.join("\n")}`);
  const item = (file: string) => ({ text: sidebarTitles[file] ?? titleOf(file), link: linkOf(file) });
  return groups.map(({ text, pages }) => {
    const items = pages.flatMap((name) => (name === rules ? ruleThemes(pagesOf(name), item) : pagesOf(name).map(item)));
    return { text, collapsed: true, items };
  });
}

/** The pages of rules by theme, as their index lists them. */
function ruleThemes(files: readonly string[], item: (file: string) => Item): Item[] {
  const [, ...sections] = readFileSync(join(rules, "README.md"), "utf8").split(/^## /m);
  const themes = sections.map((section) => ({
    text: /^.+/.exec(section)?.[0] ?? "",
    collapsed: true,
    items: files.filter((file) => section.includes(`](${basename(file)})`)).map(item),
  }));
  return themes.filter(({ items }) => items.length > 0);
}

/** The links of a group and of its groups. */
export function linksOf({ link, items = [] }: Item): string[] {
  return [...(link === undefined ? [] : [link]), ...items.flatMap(linksOf)];
}

/** The file of a page in Korean: `README.md` is `docs/ko/README.md`. */
export function koreanOf(file: string): string {
  return `docs/ko/${file.replace(/^docs\//, "")}`;
}

/** The sidebar of the Korean pages, in the order of the groups. */
export function koreanSidebar(): Item[] {
  const files = groups.flatMap(({ pages }) => pages.map(koreanOf)).filter((file) => file.endsWith(".md"));
  const items = files.filter(existsSync).map((file) => ({ text: readTitle(file), link: linkOf(file) }));
  return [{ text: "한국어 문서", items }];
}

/** The link to the page of a file: `docs/labs/README.md` is `/labs/`. */
export function linkOf(file: string): string {
  return `/${routeOf(file)}`.replace(/(?:(?<=\/)index)?\.md$/, "");
}

function readTitle(file: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(file, "utf8")) ?? [];
  if (title === undefined) throw new Error(`${file} has no title: a line that starts with "# ".`);
  return title.replaceAll("`", "");
}
