import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { comparablePlan } from "../../../planner/diff/comparable-plan";
import { differenceOf } from "../../../planner/diff/diff";
import { escaped, html } from "../../../planner/report/page/markup";
import { renderPage } from "../../../planner/report/page/page";
import { plan } from "../../support/plan";
import { bucketOnly } from "../draw/programs";
import { labProgram } from "../lab-program";
import { finding, planOf, recordingOf, unpricedCost } from "../recordings";

const bucket = (inputs: Record<string, unknown>, secretPaths: string[] = []) =>
  renderPage({ plans: [planOf(recordingOf([{ type: "aws:s3/bucket:Bucket", name: "b", inputs, secretPaths }]))] });

test("a template escapes each value, and keeps markup", () => {
  const inner = html`<b>${"<&\"'`>\u0000"}</b>`;
  expect(html`<p title="${"x"}">${[inner, undefined, 3]}</p>`.source).toBe(
    '<p title="x"><b>&#60;&#38;&#34;&#39;&#96;&#62; </b>3</p>',
  );
  expect(escaped("a\n\tb\u001b[2J\u0085")).toBe("a\n\tb [2J ");
});

describe("inputs", () => {
  test("secrets are hidden, at any depth and in lists", async () => {
    const inputs = { password: "hunter2", deep: { token: "hunter3" }, list: ["a", "hunter4"] };
    const page = await bucket(inputs, ["password", "deep.token", "list[1]"]);
    expect(page).not.toMatch(/hunter/);
    expect(page.match(/<span class="secret">secret<\/span>/g)).toHaveLength(3);
  });

  test("unknown values are named, at any depth and in the middle of a text", async () => {
    const page = await bucket({ a: unknownSentinel, b: { c: [unknownSentinel] }, d: `arn:${unknownSentinel}/x` });
    expect(page).not.toContain(unknownSentinel);
    expect(page.match(/<span class="later">known after the update<\/span>/g)).toHaveLength(3);
  });

  test("a document in a string is shown as a document", async () => {
    expect(await bucket({ policy: '{"Effect":"Allow"}' })).toContain("&#34;Effect&#34;: &#34;Allow&#34;");
  });
});

test("the content security policy permits the style sheet and the script in the page, and nothing else", async () => {
  const page = await bucket({});
  const hash = (tag: string) => {
    const [, text = ""] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page) ?? [];
    return `&#39;sha256-${createHash("sha256").update(text).digest("base64")}&#39;`;
  };
  const none = ["default-src", "base-uri", "form-action"].map((name) => `${name} &#39;none&#39;`).join("; ");
  const policy = `${none}; style-src ${hash("style")}; script-src ${hash("script")}`;
  expect(page).toContain(`content="${policy}"`);
  expect(page).not.toMatch(/ style="| on\w+="|src=/);
});

test("the picture's dark colors are those of all its colors", async () => {
  const recording = await plan(() => labProgram({ operator: true, nccl: "blocked" }), { stack: "gpu-lab" });
  const page = await renderPage({ plans: [planOf(recording)] });
  const [, picture = ""] = /<div\s+class="picture[^"]*"([^]*?)<\/svg>/.exec(page) ?? [];
  const colors = new Set([...picture.matchAll(/(?:fill|stroke)="(#[^"]*)"/g)].map(([, color]) => color));
  expect(colors.size).toBeGreaterThan(8);
  for (const color of colors) expect(page).toContain(`.picture [fill="${color}"]`);
});

test("equal plans give equal pages", async () => {
  const program = () => plan(() => labProgram(), { stack: "gpu-lab" });
  const [one, other] = [await program(), await program()];
  expect(await renderPage({ plans: [planOf(one)] })).toBe(await renderPage({ plans: [planOf(other)] }));
});

test("rules are counted by their most important finding, and a fix stands out", async () => {
  const findings = [
    finding({ message: "taints: got nothing.\n  fix: add <it>" }),
    finding({ verdict: "unknown" }),
    finding({ rule: "quota", verdict: "unknown", message: "waits" }),
    finding({ rule: "tags", level: "advisory", name: "" }),
  ];
  const page = await renderPage({ plans: [planOf(recordingOf(bucketOnly), { findings })] });
  const counts = [...page.matchAll(/<li class="\w*">\s*<strong>(\d+)<\/strong>([^<]*)</g)];
  expect(counts.map(([, count, label]) => `${count}${label}`)).toEqual([
    "21 without a finding",
    "1 failed",
    "1 advisory",
    "1 unknown before the update",
  ]);
  expect(page).toMatch(/class="fix"><strong>Fix<\/strong> add &#60;it&#62;/);
  expect(page).toContain("the stack");
  expect(page.match(/<li><code>.*/g)).toEqual(["<li><code>lease</code> Sessions end</li>"]);
  expect(page).toContain("Rejected by the policy pack");
});

test("a sum without prices is unknown, and what has no price is named", async () => {
  const page = await renderPage({ plans: [planOf(recordingOf(bucketOnly), { cost: unpricedCost })] });
  expect(page).toMatch(/Without a known price[^]*EKS control plane \(no price known\)/);
  expect(page).toMatch(/Total<\/th>\s*<td class="number">unknown</);
});

test("a stack without a picture lists all of its resources", async () => {
  const page = await renderPage({ plans: [planOf(recordingOf(bucketOnly))] });
  expect(page).toContain("All resources");
  expect(page).not.toContain('class="picture');
});

test("a page with a difference has both the plan and the difference", async () => {
  const now = planOf(recordingOf([{ type: "aws:s3/bucket:Bucket", name: "b", inputs: { tags: { a: "<i>" } } }]));
  const difference = differenceOf(comparablePlan(planOf(recordingOf([]))), comparablePlan(now));
  const page = await renderPage({ plans: [now], difference });
  expect(page).toMatch(/class="line added">\+ Bucket b/);
  expect(page).toContain('id="plan-0-cost"');
  expect(page).toMatch(/Cost at rest, in USD [^]*Cost in use, in USD [^]*<pre class="difference"/);
});

test("a page has the dates of the prices, and one warning that they are old", async () => {
  const priceTable = { date: "2026-11-21", warning: "Prices are old." };
  const cost = { ...unpricedCost, priceTable, pricesAsOf: "2025-04-04", sources: ["a.b/c, 2025-04-04"] };
  const priced = planOf(recordingOf([]), { cost });
  const difference = differenceOf(comparablePlan(priced), comparablePlan(priced));
  expect(difference.priceWarning).toBe("Prices are old.");
  const page = await renderPage({ plans: [priced], difference });
  expect(page).toContain("Price table of 2026-11-21; oldest price used from 2025-04-04; before taxes</summary>");
  expect(page.match(/Warning: Prices are old\./g)).toHaveLength(1);
});
