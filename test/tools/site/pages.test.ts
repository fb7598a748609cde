import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { labs } from "../../../stacks/labs";
import { flowchartSvg } from "../../../tools/site/flowchart";
import { servedPath, siteLink } from "../../../tools/site/links";
import { koreanOf, koreanSidebar, linkOf, linksOf, pageFiles, routeOf, sidebarOf } from "../../../tools/site/pages";
import { boostOf, indexedText } from "../../../tools/site/search";

/** The pages of the clone: TypeDoc writes those of the API when the site is built. */
const files = [...pageFiles().filter((file) => !file.startsWith("tools/site/")), "tools/site/api/README.md"];
const titleOf = (file: string) => file;

test("every page is in one group of one sidebar", () => {
  const sidebars = [...sidebarOf(files, titleOf), ...koreanSidebar()];
  const links = sidebars.flatMap(linksOf);
  expect(links.sort()).toEqual(files.map(linkOf).sort());
});

test("the labs are in the order in which to run them", () => {
  const links = sidebarOf(files, titleOf).flatMap(({ items = [] }) => items.map(({ link = "" }) => link));
  const pages = links.filter((link) => /^\/labs\/./.test(link));
  expect(pages).toEqual(Object.keys(labs).map((lab) => `/labs/${lab}`));
});

test("the rules are in the sidebar by theme", () => {
  const { items = [] } = sidebarOf(files, titleOf).find(({ text }) => text === "Policies") ?? {};
  const themes: Record<string, string[]> = Object.fromEntries(
    items.map((theme): [string, string[]] => [theme.text ?? "", linksOf(theme)]),
  );
  const folders = readdirSync("policies/rules").filter((name) => !name.includes("."));
  expect(
    Object.keys(themes)
      .slice(2)
      .map((text) => text.toLowerCase())
      .sort(),
  ).toEqual(folders.sort());
  expect(themes["RBAC"]).toContain("/policies/rbac-wildcards");
  expect(themes["Workloads"]).not.toContain("/policies/rbac-wildcards");
});

test("no page of the sidebar has the name of its group", () => {
  const ownTitle = (file: string) => (existsSync(file) && /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1]) || file;
  const groups = sidebarOf(files, ownTitle);
  const named = (page: string) => groups.filter(({ text }) => page === text);
  const pages = groups.flatMap(({ items = [] }) => items.map(({ text = "" }) => text));
  expect(pages).toContain("First session");
  expect(pages.flatMap(named)).toEqual([]);
});

test("the search indexes symptoms and a full title, and no switch of languages", () => {
  const heading = '<h1 id="triage">Triage <a href="#triage"></a></h1>';
  const text = indexedText("docs/triage.md", `${heading}\n<p>English | <a href="/ko/">한국어</a></p>\n<p>A | b</p>`);
  expect(text).toMatch(/^<h1 id="triage">Triage: why a GPU pod does not run <a href="#triage"><\/a><\/h1><p>Crash/);
  expect(text).toMatch(/ContainerCreating\.<\/p>\n\n<p>A \| b<\/p>$/);
  const korean = '<h1>x</h1>\n<p><a href="/labs/">English</a> | 한국어</p>';
  expect(indexedText("docs/ko/labs/README.md", korean)).toBe("<h1>x</h1>\n");
});

test("the search prefers triage to accidents, and both to labs and the API", () => {
  const pages = ["/triage.html", "/accidents.html", "/preflight.html", "/labs/x.html", "/versions.html", "/api/x.html"];
  const boosts = pages.map(boostOf);
  expect(boosts).toEqual([...boosts].sort((one, other) => other - one));
  expect(new Set(boosts).size).toBe(pages.length);
});

test("the Korean pages are in the order of the English ones, with Korean titles", () => {
  const items = koreanSidebar().flatMap(({ items = [] }) => items);
  const labPages = ["README", ...Object.keys(labs)].map((lab) => `docs/labs/${lab}.md`);
  expect(items.map(({ link }) => link)).toEqual(["README.md", ...labPages].map(koreanOf).map(linkOf));
  expect(items.slice(1).filter(({ text }) => !/[가-힣]/.test(text ?? ""))).toEqual([]);
});

test("a page in no group, and a group's page that does not exist, are errors", () => {
  expect(() => sidebarOf([...files, "docs/new.md"], titleOf)).toThrow("docs/new.md is in no group.");
  const fewer = files.filter((file) => file !== "docs/triage.md");
  expect(() => sidebarOf(fewer, titleOf)).toThrow("docs/triage.md does not exist.");
});

test.for([
  ["README.md", "index.md", "/"],
  ["CHANGELOG.md", "changelog.md", "/changelog"],
  ["docs/labs/README.md", "labs/index.md", "/labs/"],
  ["docs/labs/gpu-lab.md", "labs/gpu-lab.md", "/labs/gpu-lab"],
  ["docs/ko/README.md", "ko/index.md", "/ko/"],
  ["docs/ko/labs/gpu-lab.md", "ko/labs/gpu-lab.md", "/ko/labs/gpu-lab"],
  ["examples/README.md", "examples/index.md", "/examples/"],
  ["examples/own-lab/README.md", "examples/own-lab/index.md", "/examples/own-lab/"],
  ["tools/site/api/eks-gpu-lab/classes/Vpc.md", "api/eks-gpu-lab/classes/Vpc.md", "/api/eks-gpu-lab/classes/Vpc"],
])("%s is the page %s", ([file = "", route, link]) => {
  expect([routeOf(file), linkOf(file)]).toEqual([route, link]);
});

test("a link leads to the page of a file, or to a copy of the file", () => {
  const targets = { pages: new Set(files), files: new Set<string>() };
  const link = (from: string, href: string) => siteLink(from, href, targets);
  expect(link("docs/labs/README.md", "../../README.md#policies")).toBe("/#policies");
  expect(link("README.md", "docs/labs/gpu-lab.md")).toBe("/labs/gpu-lab");
  expect(link("docs/library.md", "../examples/README.md")).toBe("/examples/");
  expect(link("docs/alerts.md", "#cost")).toBe("#cost");
  expect(link("docs/alerts.md", "https://kubernetes.io/docs/")).toBe("https://kubernetes.io/docs/");
  expect(targets.files.size).toBe(0);
  expect(link("README.md", "LICENSE")).toBe("/LICENSE.txt");
  expect(link("docs/library.md", "../stacks/gpu-lab.ts")).toBe(`/${servedPath("stacks/gpu-lab.ts")}`);
  expect([...targets.files]).toEqual(["LICENSE", "stacks/gpu-lab.ts"]);
  expect(() => link("README.md", "docs/absent.md")).toThrow("README.md links to docs/absent.md");
  expect(() => link("README.md", "docs/labs")).toThrow("neither a page of the site nor a file");
});

test("a flowchart is drawn, and other Mermaid is an error", async () => {
  const svg = await flowchartSvg('flowchart LR\n  a["one<br/>two"] --> b\n');
  for (const label of ["one", "two", "b"]) expect(svg).toContain(`>${label}</text>`);
  await expect(flowchartSvg("sequenceDiagram")).rejects.toThrow("cannot draw this line of Mermaid: sequenceDiagram");
  await expect(flowchartSvg("flowchart LR\n  a -.-> b")).rejects.toThrow("a -.-> b");
});
