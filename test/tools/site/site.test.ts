import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pageFiles } from "../../../tools/site/pages";
import { describeInBrowser } from "../../support/browser";

const root = "tools/site/dist";
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Serves files, and nothing else: the site needs no rules of a server. */
const server = createServer(({ url = "/" }, response) => {
  const path = decodeURIComponent(url.split(/[?#]/)[0] ?? "").replace(/\/$/, "/index.html");
  try {
    const content = readFileSync(join(root, path));
    response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});

/** What a page contains, read in the browser. */
interface Facts {
  readonly title: string;
  readonly headings: number;
  readonly ids: readonly string[];
  readonly links: readonly string[];
  readonly brokenImages: readonly string[];
  readonly overflow: number;
}

const readFacts = `({
  title: document.title,
  headings: document.querySelectorAll("h1").length,
  ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
  links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
  brokenImages: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src),
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
})`;

describeInBrowser("the site", (browser) => {
  let page: Page;
  let base: string;
  const errors: string[] = [];
  const htmlFiles = () =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".html") && file !== "404.html",
    );

  beforeAll(async () => {
    const command = ["--max-semi-space-size=64", "tools/run.mjs", "site"];
    await promisify(execFile)(process.execPath, command, { maxBuffer: 2 ** 26 });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    page = await browser().newPage({ viewport: { width: 375, height: 800 }, colorScheme: "dark" });
    page.on("console", (message) => message.type() === "error" && errors.push(`${page.url()}: ${message.text()}`));
    page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`));
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base)) errors.push(request.url());
    });
    page.on("response", (response) => {
      if (response.status() >= 400) errors.push(`${page.url()} asks for ${response.url()}`);
    });
  }, 1_200_000);
  afterAll(async () => {
    await page.close();
    server.close();
  });

  async function open(path: string): Promise<void> {
    await page.goto(base + path, { waitUntil: "load" });
    await page.waitForSelector("h1");
  }

  test("every page has a title, one h1, links and anchors that exist, whole pictures, and the width of a phone", async () => {
    // Without scripts, which take most of the time: the files have the whole content.
    const phone = { viewport: { width: 375, height: 800 }, javaScriptEnabled: false };
    const reader = await browser().newPage(phone);
    const facts = new Map<string, Facts>();
    for (const file of htmlFiles()) {
      await reader.goto(base + file);
      facts.set(base + file, await reader.evaluate<Facts>(readFacts));
    }
    await reader.close();
    expect(facts.size).toBe(pageFiles().length);
    const files = new Set(readdirSync(root, { recursive: true, encoding: "utf8" }));
    const problems = [...facts].flatMap(([url, { title, headings, links, brokenImages, overflow }]) => [
      ...(title.includes("eks-gpu-lab") ? [] : [`${url} has the title ${title}`]),
      ...(headings === 1 ? [] : [`${url} has ${headings} h1`]),
      ...brokenImages.map((image) => `${url} shows no ${image}`),
      ...(overflow === 0 ? [] : [`${url} is ${overflow} px too wide`]),
      ...links.filter((link) => isDead(link, facts, files)).map((link) => `${url} links to ${link}`),
    ]);
    expect(problems).toEqual([]);
    expect(errors).toEqual([]);
  }, 1_200_000);

  function isDead(link: string, facts: ReadonlyMap<string, Facts>, files: ReadonlySet<string>): boolean {
    if (!link.startsWith(base)) return false;
    const [address = "", anchor = ""] = link.split("#");
    const target = facts.get(address.replace(/\/$/, "/index.html"));
    if (target) return anchor !== "" && !target.ids.includes(decodeURIComponent(anchor));
    return !files.has(address.slice(base.length));
  }

  test.for([
    ["containerd", "Triage"],
    ["gpuNodes.maxSize", "Configuration"],
    ["GpuNodeGroupArgs", "GpuNodeGroupArgs"],
    ["pull request gate", "A gate for pull requests"],
  ])("the search for %s finds %s", async ([query = "", title = ""]) => {
    await open("versions.html");
    await page.locator(".VPNavBarSearch button").first().click();
    await page.locator("#localsearch-input").fill(query);
    const results = page.locator("#localsearch-list .result");
    await results.filter({ hasText: title }).first().waitFor();
    expect(await results.count()).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });

  test.for(["triage", "node group", "cost", "policies"])(
    "the search for %s shows guides before the API",
    async (query) => {
      await open("versions.html");
      await page.locator(".VPNavBarSearch button").first().click();
      await page.locator("#localsearch-input").fill(query);
      const first = page.locator("#localsearch-list .result").first();
      await first.waitFor();
      expect(await first.getAttribute("href")).not.toContain("/api/");
    },
  );

  test("the search of a Korean page finds Korean pages", async () => {
    await open("ko/labs/index.html");
    await page.locator(".VPNavBarSearch button").first().click();
    await page.locator("#localsearch-input").fill("보안 그룹");
    const results = page.locator("#localsearch-list .result");
    await results.filter({ hasText: "nccl-block" }).first().waitFor();
    const links = await results.evaluateAll((found: { href: string }[]) => found.map(({ href }) => href));
    expect(links.filter((link) => !link.startsWith(`${base}ko/`))).toEqual([]);
  });

  test.for([
    ["ko/labs/nccl-block.html", "ko", "labs/nccl-block.html"],
    ["labs/nccl-block.html", "en", "ko/"],
    ["triage.html", "en", "ko/"],
  ])("%s is in %s, and its menu of languages leads to %s", async ([path = "", language, target = ""]) => {
    await open(path);
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    const link = page.locator(".VPNavBarTranslations a").first();
    expect(await link.evaluate(({ href }: { href: string }) => href)).toBe(base + target);
  });

  test("the first page of the API says what it is", async () => {
    await open("api/index.html");
    expect(await page.locator("main p").first().innerText()).toMatch(/^What the npm package exports/);
  });

  test("the switch changes between light and dark", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await open("index.html");
    const isDark = () => page.evaluate<boolean>('document.documentElement.classList.contains("dark")');
    expect(await isDark()).toBe(true);
    await page.locator(".VPNavBarAppearance .VPSwitchAppearance").click();
    expect(await isDark()).toBe(false);
    await page.locator(".VPNavBarAppearance .VPSwitchAppearance").click();
    expect(await isDark()).toBe(true);
  });

  test.for([
    ["index.html", "dark"],
    ["index.html", "light"],
    ["labs/device-plugin.html", "dark"],
    ["labs/device-plugin.html", "light"],
    ["ko/index.html", "dark"],
    ["ko/index.html", "light"],
    ["policies/gpu-single-az.html", "dark"],
    ["policies/gpu-single-az.html", "light"],
    ["api/eks-gpu-lab/classes/GpuNodeGroup.html", "dark"],
    ["api/eks-gpu-lab/classes/GpuNodeGroup.html", "light"],
    ["architecture.html", "dark"],
    ["architecture.html", "light"],
  ] as const)("%s has enough contrast in %s", async ([path, colorScheme]) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate("localStorage.clear()");
    await page.emulateMedia({ colorScheme });
    await open(path);
    await page.evaluate(axe.source);
    const violations = await page.evaluate<readonly { readonly nodes: readonly { readonly html: string }[] }[]>(
      'axe.run({ runOnly: ["color-contrast"] }).then(({ violations }) => violations)',
    );
    expect(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 200)))).toEqual([]);
  });
});
