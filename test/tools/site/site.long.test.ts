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
  ".png": "image/png",
};

/** Serves files, and nothing else: the site needs no rules of a server. */
const server = createServer(({ url = "/" }, response) => {
  const path = decodeURIComponent(url.split(/[?#]/)[0] ?? "").replace(/\/$/, "/index.html");
  try {
    const content = readFileSync(join(root, path));
    response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(content);
  } catch {
    response.writeHead(404, { "content-type": "text/html; charset=utf-8" }).end(readFileSync(join(root, "404.html")));
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

/** What is hard to read on a page: each as a text. Run in the browser. */
const readFlaws = `(() => {
  const all = (selector) => [...document.querySelectorAll(".vp-doc " + selector)].filter(({ offsetParent }) => offsetParent);
  const scrolls = (box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
  const hasBar = (box) => getComputedStyle(box, "::-webkit-scrollbar").height === "10px";
  const isCut = (box) => box.scrollWidth > box.clientWidth + 1 && !(scrolls(box) && hasBar(box));
  const isProse = ({ textContent }) => textContent.length > 60 && /\\s/.test(textContent);
  const columns = ({ rows, tBodies }) =>
    [...rows[0].cells].map((_, at) => [...tBodies[0].rows].flatMap(({ cells }) => cells[at] ?? []));
  const isWideNumber = (cells) =>
    cells.every(({ textContent }) => /^[\\d.,]*( USD)?$/.test(textContent.trim())) && cells[0].offsetWidth > 200;
  const shown = (node) => node.textContent.trim().slice(0, 60);
  const text = (svg) => 13 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  const root = document.documentElement;
  return [
    ...(root.scrollWidth > root.clientWidth ? ["the page is " + (root.scrollWidth - root.clientWidth) + " px too wide"] : []),
    ...all("td").filter((cell) => isProse(cell) && cell.offsetWidth < (innerWidth < 640 ? 150 : 200)).map((cell) => "narrow prose: " + shown(cell)),
    ...all("table").flatMap(columns).filter(isWideNumber).map(([cell]) => "wide numbers: " + shown(cell)),
    ...all("pre, .wide, .flowchart").filter(isCut).map((box) => "cut: " + shown(box)),
    ...all("pre").filter((box) => box.closest(".language-sh") && box.scrollWidth > box.clientWidth + 1).map((box) => "no wrap: " + shown(box)),
    ...all("pre, .wide").filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).backgroundImage === "none")
      .map((box) => "no sign that it scrolls: " + shown(box)),
    ...all("img").filter((image) => !image.closest("a[href]")).map(({ src }) => "no link to " + src),
    ...[...document.querySelectorAll(".VPNavBarMenuLink")].filter((link) => link.getBoundingClientRect().right > innerWidth)
      .map((link) => "out of view: " + shown(link)),
    ...all(".flag").filter((flag) => flag.getClientRects().length > 1).map((flag) => "broken: " + shown(flag)),
    ...all(".picture > img").filter(({ offsetWidth }) => offsetWidth < 500).map(({ src }) => "too small: " + src),
    ...all(".flowchart svg").filter((svg) => text(svg) < 11).map(() => "a flowchart is too small"),
  ];
})()`;

/** The color of the ground of the first picture of a page. */
const pictureGround = (screenshot: string) => `(async () => {
  const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64,${screenshot}")).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(bitmap.width / 2, 12, 1, 1).data[0];
})()`;

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

  const typical = [
    ...["index", "getting-started", "configuration", "parity", "triage", "architecture", "labs/index"],
    ...[
      "labs/device-plugin",
      "policies/pod-resources",
      "exercises/pending-pods",
      "commands",
      "library",
      "policies/gpu-rollout-deadlock",
      "api/eks-gpu-lab/classes/GpuNodeGroup",
    ],
  ];

  test.for([
    [390, "light"],
    [1024, "dark"],
    [1280, "dark"],
    [1920, "light"],
  ] as const)(
    "on %i px, typical pages are easy to read, and marked in the navigation",
    async ([width, colorScheme]) => {
      const reader = await browser().newPage({ viewport: { width, height: 900 }, colorScheme });
      const flaws: string[] = [];
      for (const path of typical) {
        await reader.goto(`${base}${path}.html`);
        const isActive = "document.querySelectorAll('.VPSidebar .is-link.is-active').length === 1";
        await expect.poll(() => reader.evaluate(isActive), { message: path }).toBe(true);
        flaws.push(...(await reader.evaluate<string[]>(readFlaws)).map((flaw) => `${path}: ${flaw}`));
        if (width < 960) continue;
        const link = reader.locator(".VPSidebar .is-link.is-active > .item");
        const bottom = async () => ((await link.boundingBox()) ?? { y: 9999 }).y;
        await expect.poll(bottom, { message: path }).toBeLessThan(860);
        expect(await bottom()).toBeGreaterThan(64);
        expect(await reader.locator(".VPNavBarMenuLink.active").count(), path).toBe(1);
        const openGroups = ".VPSidebar .VPSidebarItem.level-0.collapsible:not(.collapsed)";
        expect(await reader.locator(openGroups).count(), path).toBe(1);
      }
      expect(flaws).toEqual([]);
      await reader.close();
    },
  );

  test("each entry of the top bar leads to a page of its group, on a tablet from the menu", async () => {
    const reader = await browser().newPage({ viewport: { width: 1024, height: 900 } });
    await reader.goto(`${base}labs/index.html`);
    await reader.locator(".VPNavBarHamburger").click();
    const entries = reader.locator(".VPNavScreenMenuLink");
    expect(await entries.allInnerTexts()).toHaveLength(8);
    await entries.first().click();
    await reader.waitForURL(`${base}getting-started.html`);
    await reader.close();
  });

  test.for([
    ["absent.html", "This page does not exist", "labs/"],
    ["ko/absent.html", "페이지가 없습니다", "ko/labs/"],
  ])("the address %s of no page shows what to do", async ([path, title, labPages]) => {
    const reader = await browser().newPage();
    await reader.goto(`${base}${path}`);
    await reader.locator(".NotFound h1", { hasText: title }).waitFor();
    const links = await reader
      .locator(".NotFound a")
      .evaluateAll((found: { href: string }[]) => found.map(({ href }) => href));
    expect(links).toContain(`${base}${labPages}`);
    const fileOf = (link: string) => link.slice(base.length).replace(/(^|\/)$/, "$1index") + ".html";
    expect(htmlFiles()).toEqual(expect.arrayContaining(links.map(fileOf)));
    await reader.close();
  });

  test("a long name as a heading may break before its words", async () => {
    await open("api/eks-gpu-lab/interfaces/GpuNodeGroupArgs.html");
    expect(await page.locator("main h1").innerHTML()).toMatch(/^Gpu<wbr>Node<wbr>Group<wbr>Args/);
    expect(await page.title()).toContain("GpuNodeGroupArgs");
  });

  test.for([
    ["light", 255],
    ["dark", 17],
  ] as const)("a picture has a %s ground, and leads to its file", async ([colorScheme, red]) => {
    const reader = await browser().newPage({ colorScheme });
    await reader.goto(`${base}index.html`);
    const picture = reader.locator(".vp-doc a:has(> img)").first();
    const screenshot = (await picture.locator("img").screenshot()).toString("base64");
    expect(await reader.evaluate<number>(pictureGround(screenshot))).toBe(red);
    await picture.click();
    await reader.waitForURL(/docs\/gpu-lab\.svg$/);
    await reader.close();
  });

  test("the page of a component shows an example and its arguments", async () => {
    await open("api/eks-gpu-lab/classes/GpuNodeGroup.html");
    const headings = (await page.locator("main h2").allInnerTexts()).map((text) => text.trim().split("\n")[0]);
    expect(headings.slice(0, 2)).toEqual(["Example", "Arguments"]);
    expect(await page.locator("main pre").first().innerText()).toContain("new GpuNodeGroup(");
    const argument = page.locator("main li", { hasText: "maxSize?" });
    expect(await argument.innerText()).toMatch(/^maxSize\?: Maximum number of nodes.* Default: 2\.$/s);
  });

  test("a search for a symptom leads to the page that helps", async () => {
    await open("versions.html");
    await page.locator(".VPNavBarSearch button").first().click();
    const first = page.locator("#localsearch-list .result").first();
    const symptoms = {
      Pending: /^\/(accidents|triage)/,
      FailedScheduling: /^\/triage/,
      ContainerCreating: /^\/triage/,
      "0/4 nodes are available": /^\/triage/,
      CrashLoopBackOff: /^\/triage/,
      "Insufficient nvidia.com/gpu": /^\/triage/,
      NotReady: /^\/triage/,
      "NCCL timeout": /^\/labs\/nccl-block/,
      ImagePullBackOff: /^\/triage/,
      "no GPU": /^\/(accidents|triage)/,
      quota: /^\/(accidents|preflight)/,
      "forgotten cluster": /^\/recovery/,
    };
    for (const [symptom, target] of Object.entries(symptoms)) {
      await page.locator("#localsearch-input").fill("");
      await expect.poll(() => first.count()).toBe(0);
      await page.locator("#localsearch-input").fill(symptom);
      const href = () => first.getAttribute("href");
      await expect.poll(href, { message: symptom, timeout: 20_000 }).toMatch(target);
    }
  });

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
    ["labs/nccl-block.html", "en", "ko/labs/nccl-block.html"],
    ["ko/index.html", "ko", ""],
    ["triage.html", "en", "ko/"],
  ])("%s is in %s, and its menu of languages leads to %s", async ([path = "", language, target = ""]) => {
    await open(path);
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    const link = page.locator(".VPNavBarTranslations a").first();
    expect(await link.evaluate(({ href }: { href: string }) => href)).toBe(base + target);
  });

  test("the first page of the API says what it is", async () => {
    await open("api/index.html");
    expect(await page.locator("main p").first().innerText()).toMatch(/^The exports of the npm package/);
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
