import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { comparablePlan } from "../../../planner/diff/comparable-plan";
import { differenceOf } from "../../../planner/diff/diff";
import type { Plan } from "../../../planner/plan";
import { renderPage } from "../../../planner/report/page/page";
import { describeInBrowser } from "../../support/browser";
import { folder } from "../../support/files";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { finding, planOf, recordingOf } from "../recordings";

const axe = readFileSync(createRequire(__filename).resolve("axe-core"), "utf8");
const hostile = '</script></style><img src=x onerror="window.hacked=1"><svg onload=hacked=1>';

interface View {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly javaScriptEnabled?: boolean;
}

/** The page of a file. At the end of the test, it must have asked for nothing else, and have logged nothing. */
async function opened(browser: Browser, content: string, view: View = {}): Promise<Page> {
  const file = join(folder({}), "plan.html");
  writeFileSync(file, content);
  const address = pathToFileURL(file).href;
  const { width = 1280, ...options } = view;
  const context = await browser.newContext({ viewport: { width, height: 800 }, ...options });
  const page = await context.newPage();
  const seen: string[] = [];
  page.on("request", (request) => seen.push(request.url()));
  page.on("console", (message) => seen.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.push(error.message));
  await page.goto(address);
  onTestFinished(async () => {
    await context.close();
    expect(seen).toEqual([address]);
  });
  return page;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe-core rejects, with each rule that it has, except experimental ones. */
async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the page itself permits no other script.
  await page.evaluate(axe);
  const found = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

describeInBrowser("the page of a plan", (browser) => {
  let lab: Plan;
  let page: string;
  let stacks: string;

  beforeAll(async () => {
    const record = (stack: string) =>
      plan(() => labProgram({ operator: true, warns: true, secret: "hunter2" }), { stack });
    const findings = [
      finding({}),
      finding({ level: "advisory", rule: "tags" }),
      finding({ verdict: "unknown", rule: "q" }),
    ];
    lab = planOf(await record("gpu-lab"), { findings });
    const blocked = planOf(await plan(() => labProgram({ nccl: "blocked" }), { stack: "gpu-lab" }));
    const difference = differenceOf(comparablePlan(blocked), comparablePlan(lab));
    page = await renderPage({ plans: [lab], difference });
    stacks = await renderPage({ plans: [lab, planOf(await record("nccl-block"))] });
  });

  test("a click on a box shows its resources and the inputs of each", async () => {
    const tab = await opened(browser(), page);
    const box = tab.getByRole("link", { name: /^myeks-ng-gpu/ });
    await box.getByText("myeks-ng-gpu").click();
    const group = tab.locator("details.box[open]");
    await expect.poll(() => group.count()).toBe(1);
    expect(await group.locator("> summary").innerText()).toContain("myeks-ng-gpu");
    await expect.poll(() => box.getAttribute("aria-current")).toBe("true");
    const resource = group.locator(".resource", { has: tab.getByText("NodeGroup", { exact: true }) }).last();
    expect(await resource.locator(".inputs").isVisible()).toBe(false);
    await resource.locator("summary").click();
    await expect.poll(() => resource.locator(".inputs").innerText()).toContain("scalingConfig");
    expect(await tab.content()).not.toContain("hunter2");
  });

  test("the picture works with the keyboard, and the focus goes to the resources", async () => {
    const tab = await opened(browser(), page);
    const box = tab.getByRole("link", { name: /^EKS control plane/ });
    const active = "document.activeElement";
    const isBox = `${active}.matches(".picture a") && ${active}.textContent.includes("EKS control plane")`;
    const isFocused = () => tab.evaluate<boolean>(isBox);
    for (let presses = 0; presses < 60 && !(await isFocused()); presses++) await tab.keyboard.press("Tab");
    const outline = `getComputedStyle(${active}.querySelector("path")).strokeWidth`;
    expect(await tab.evaluate(outline)).toBe("3.5px");
    await tab.keyboard.press("Enter");
    expect(await tab.evaluate("document.activeElement.innerText")).toContain("Control plane");
    expect(await tab.locator("details.box[open] > summary").innerText()).toContain("Control plane");
    await tab.keyboard.press("Enter");
    await expect.poll(() => box.getAttribute("aria-current")).toBeNull();
  });

  test.for([
    [1280, 900],
    [375, 700],
  ])("on %i x %i, a click on a box brings its first resource to the screen", async ([width = 0, height = 0]) => {
    const tab = await opened(browser(), page, { width });
    await tab.setViewportSize({ width, height });
    for (const name of [/^EKS control plane/, /^NAT gateway/]) {
      const box = tab.getByRole("link", { name }).first();
      await box.click();
      const bottom = (selector: string) =>
        tab.evaluate<number>(`document.querySelector("${selector}").getBoundingClientRect().bottom`);
      const summary = await tab.locator("details.box[open] > summary").boundingBox();
      expect(summary?.y).toBeGreaterThanOrEqual(await bottom(".top"));
      expect(await bottom("details.box[open] .resource > summary")).toBeLessThan(height);
      await tab.evaluate("scrollTo(0, 0)");
    }
  });

  test("an open group has an address, which a link leads to and Back leaves", async () => {
    const tab = await opened(browser(), page);
    const open = tab.locator("details.box[open] > summary");
    const steps = [/^EKS control plane/, /^internet gateway/];
    for (const name of steps) await tab.getByRole("link", { name }).first().click();
    expect(await open.innerText()).toContain("Internet gateway");
    const other = await tab.context().newPage();
    await other.goto(tab.url());
    expect(await other.locator("details.box[open] > summary").innerText()).toContain("Internet gateway");
    await tab.goBack();
    await expect.poll(() => open.innerText()).toContain("Control plane");
    await tab.goBack();
    await expect.poll(() => open.count()).toBe(0);
    await tab.goForward();
    await expect.poll(() => open.innerText()).toContain("Control plane");
  });

  test("a picture is at most as wide as it is drawn, and a wide one scrolls on a phone", async () => {
    const small = planOf(recordingOf([{ type: "aws:eks/cluster:Cluster", name: "cluster", inputs: { name: "prod" } }]));
    const content = await renderPage({ plans: [small] });
    const [, points = ""] = /<svg [^>]*width="(\d+)pt"/.exec(content) ?? [];
    const widthOf = async (html: string, width: number) => {
      const tab = await opened(browser(), html, { width });
      return (await tab.locator(".picture svg").boundingBox())?.width ?? 0;
    };
    for (const width of [1280, 375]) {
      expect(await widthOf(content, width)).toBeLessThanOrEqual((Number(points) * 4) / 3);
    }
    expect(await widthOf(content, 375)).toBeLessThan(375);
    expect(await widthOf(page, 375)).toBe(736);
  });

  test("a wide picture has a shadow at its edge on a phone, until its end is in view", async () => {
    const opacity = `getComputedStyle(document.querySelector(".picture"), "::after").opacity`;
    const wide = await opened(browser(), page, { width: 1280 });
    expect(await wide.evaluate(opacity)).toBe("0");
    const phone = await opened(browser(), page, { width: 390 });
    await expect.poll(() => phone.evaluate(opacity)).toBe("1");
    await phone.evaluate(`document.querySelector(".picture").scrollLeft = 9999`);
    await expect.poll(() => phone.evaluate(opacity)).toBe("0");
  });

  test("an option stays on one line", async () => {
    for (const width of [320, 390]) {
      const tab = await opened(browser(), page, { width });
      const lines = `[...document.querySelectorAll(".next .flag")].map((flag) => flag.getClientRects().length)`;
      expect(await tab.evaluate(lines)).toEqual([1]);
    }
  });

  test("only one group is open at a time", async () => {
    const tab = await opened(browser(), page);
    await tab.getByRole("link", { name: /^EKS control plane/ }).focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("link", { name: "internet gateway" }).click();
    expect(await tab.locator("details.box[open] > summary").allInnerTexts()).toEqual([
      expect.stringContaining("Internet gateway"),
    ]);
  });

  test("without JavaScript, a box leads to its resources, and every plan is shown", async () => {
    const tab = await opened(browser(), stacks, { javaScriptEnabled: false });
    expect(await tab.locator("h1").allInnerTexts()).toHaveLength(2);
    await tab.getByRole("link", { name: "internet gateway" }).first().click();
    const resource = tab.locator("details.box", { hasText: "Internet gateway" }).first().locator(".resource").first();
    expect(await resource.isVisible()).toBe(true);
  });

  test("of several stacks, one is shown at a time", async () => {
    const tab = await opened(browser(), stacks);
    const shown = () => tab.locator("article:visible h1").allInnerTexts();
    expect(await shown()).toEqual([expect.stringContaining("gpu-lab")]);
    await tab.getByRole("navigation", { name: "Stacks" }).getByRole("link", { name: "nccl-block" }).click();
    await expect.poll(shown).toEqual([expect.stringContaining("nccl-block")]);
    await tab.locator("article:visible").getByRole("link", { name: "Cost", exact: true }).click();
    expect(await shown()).toEqual([expect.stringContaining("nccl-block")]);
  });

  test.for(["light", "dark"] as const)("axe-core has no objection in %s colors", async (colorScheme) => {
    for (const content of [page, stacks]) {
      const tab = await opened(browser(), content, { colorScheme });
      expect(await violations(tab)).toEqual([]);
      await tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      expect(await violations(tab)).toEqual([]);
    }
  });

  test("axe-core objects to a wrong page", async () => {
    const tab = await opened(browser(), page.replace('<html lang="en">', "<html>"));
    expect(await violations(tab)).toEqual([expect.stringContaining("html-has-lang")]);
  });

  test.for([375, 320, 1280])("a screen of %i pixels does not scroll sideways", async (width) => {
    for (const content of [page, stacks]) {
      const tab = await opened(browser(), content, { width });
      await tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      expect(await tab.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
  });

  test("on a phone, costs and counts need no scrolling and no second line", async () => {
    const tab = await opened(browser(), page, { width: 390 });
    const overflow = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scroll'))";
    expect(await tab.evaluate(overflow)).toBe(0);
    const heights =
      "[...document.querySelectorAll('.count, .counts li, .cost th > .muted')].map((count) => count.getBoundingClientRect().height)";
    const lines = await tab.evaluate<number[]>(heights);
    expect(lines.length).toBeGreaterThan(4);
    expect(Math.max(...lines)).toBeLessThan(40);
  });

  test("names and inputs stay text", async () => {
    const recording = recordingOf([
      {
        type: "aws:ec2/vpc:Vpc",
        name: hostile,
        inputs: { cidrBlock: hostile, tags: { [hostile]: hostile, Name: hostile } },
      },
      {
        type: `a:b:${hostile}`,
        name: hostile,
        inputs: { [hostile]: [hostile], json: JSON.stringify({ [hostile]: 1 }) },
      },
    ]);
    const diagnostics = [{ severity: "warning" as const, message: hostile }];
    const findings = [finding({ rule: hostile, name: hostile, message: `${hostile}\nfix: ${hostile}` })];
    const plans = [
      planOf({ ...recording, stack: hostile, project: hostile, diagnostics }, { findings, region: hostile }),
    ];
    const difference = differenceOf(comparablePlan(planOf(recordingOf([]))), comparablePlan(plans[0] as Plan));
    const tab = await opened(browser(), await renderPage({ plans, difference }));
    expect(await tab.evaluate("window.hacked")).toBeUndefined();
    expect(await tab.locator("img, [onload], [onerror]").count()).toBe(0);
    expect(await tab.locator("script").count()).toBe(1);
    expect(await tab.title()).toContain(hostile);
    expect(await tab.locator("h1").innerText()).toContain(hostile);
  });
});
