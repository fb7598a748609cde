import { beforeAll, describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../planner/report/markdown";
import { verdictText } from "../../../planner/report/findings";
import { cell, code, collapsed, fenced, limited, plain, table } from "../../../planner/report/markdown-syntax";
import type { Recording } from "../../../planner/record/record";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { finding, planOf, recordingOf, unpricedCost, type ResourceSpec } from "../recordings";

describe("the lab's comment", () => {
  const findings = [finding({ name: "lab-gpu" }), finding({ level: "advisory", rule: "pin", message: "a|b\nfix: c" })];
  let recording: Recording;
  let comment: string;
  beforeAll(async () => {
    recording = await plan(() => labProgram({ operator: true, warns: true, secret: "hunter2" }), { stack: "gpu-lab" });
    comment = renderMarkdown(planOf(recording, { findings }));
  });

  test("starts with the verdict and the next command", () => {
    expect(comment.split("\n").slice(0, 5)).toEqual([
      "### ❌ Plan of gpu-lab in ap-northeast-2",
      "",
      verdictText(planOf(recording, { findings })),
      "",
      expect.stringMatching(/: `npx eks-gpu-lab plan --stack gpu-lab`$/) as string,
    ]);
  });

  test("has its sections in this order", () => {
    const headings = comment.match(/^#+ .*|<summary>.*<\/summary>/gm)?.map((line) => line.replace(/<[^>]*>|#+ /g, ""));
    expect(headings).toEqual([
      "❌ Plan of gpu-lab in ap-northeast-2",
      "Findings",
      "Cost",
      "GPU nodes myeks-ng-gpu",
      "Messages",
      "Diagram",
      `${recording.resources.length} resources to create`,
    ]);
  });

  test("findings are rows of a table, whatever a message contains", () => {
    expect(comment).toContain("| ⚠️ advisory | pin (high) | gpu | a\\|b<br>fix: c |");
    expect(comment).toContain(
      "| ❌ fail | gpu-taint (high) | lab-gpu | taints: got nothing. Pods that need no GPU can fill this node.<br>fix: add the taint |",
    );
  });

  test("costs and GPU facts are those of the text report", () => {
    expect(comment).toMatch(/\| EKS control plane \| 1 cluster \| 0\.1000 \| 73\.00 \|/);
    expect(comment).toMatch(/\| \*\*total\*\* \| {2}\| \*\*\d\.\d{4}\*\* \| \*\*\d+\.\d\d\*\* \|/);
    expect(comment).toContain("| zone | ap-northeast-2a: subnet lab-private-0 |");
    expect(comment).toMatch(/\| quota \| 8 vCPU .*L-DB2E81BA.* \|/);
  });

  test("warnings, picture and resources are there; secrets are not", () => {
    expect(comment).toContain("- warning: publicAccessCidrs: 203.0.113.0/24 is a documentation address");
    expect(comment).toContain("```mermaid\n%%{init:");
    expect(comment).toContain("\nVpc lab\n");
    expect(comment).not.toContain("hunter2");
  });
});

test("an accepted plan without GPUs, findings and warnings is short", () => {
  const comment = renderMarkdown(planOf(recordingOf([{ type: "aws:s3/bucket:Bucket", name: "b" }])));
  expect(comment).toContain("### ✅ Plan of test in ap-northeast-2\n\nAccepted by ");
  expect(comment).not.toMatch(/Findings|GPU nodes|Messages/);
});

test("without any price, the cost is unknown and there is no source", () => {
  const comment = renderMarkdown(planOf(recordingOf([]), { cost: unpricedCost }));
  expect(comment).toContain("| **total** |  | **unknown** | **unknown** |");
  expect(comment).toMatch(/GPU nodes running: unknown\n/);
  expect(comment).not.toMatch(/Price table|<sub>|at least/);
});

test("an old price table is a warning", () => {
  const priceTable = { date: "2026-11-21", warning: "The price table is 181 days old." };
  const comment = renderMarkdown(planOf(recordingOf([]), { cost: { ...unpricedCost, priceTable } }));
  expect(comment).toContain("\n\nWarning: The price table is 181 days old.\n\n");
});

test("a resource list that is too long is cut, with the number of missing resources", () => {
  const many = Array.from({ length: 3000 }, (_, index): ResourceSpec => ({
    type: "aws:s3/bucket:Bucket",
    name: `a-bucket-with-a-long-name-${index}`,
  }));
  const comment = renderMarkdown(planOf(recordingOf(many)));
  expect(comment.length).toBeLessThanOrEqual(65_536);
  expect(comment.length).toBeGreaterThan(60_000);
  const shown = comment.match(/^Bucket a-bucket/gm)?.length ?? 0;
  expect(comment).toContain(`${3001 - shown} more resources not shown`);
});

test("a comment with too many parts names the parts that are not shown", () => {
  const findings = Array.from({ length: 500 }, (_, index) =>
    finding({ rule: `rule-${index}`, message: "why ".repeat(50) }),
  );
  const groups = Array.from({ length: 60 }, (_, index): ResourceSpec => ({
    type: "aws:eks/nodeGroup:NodeGroup",
    name: `gpu-${index}`,
    inputs: { instanceTypes: ["g5.xlarge"], taints: [{ key: "k".repeat(900) }] },
  }));
  const comment = renderMarkdown(planOf(recordingOf(groups), { findings }));
  expect(comment.length).toBeLessThanOrEqual(65_536);
  expect(comment).toMatch(/\d+ more not shown/);
  expect(comment).toMatch(/Not shown because the comment is too long: GPU nodes gpu-\d+, /);
  expect(comment.match(/```/g)?.length ?? 0).toBe(2);
});

test.for([
  ["a|b", "a\\|b"],
  ["<script>&amp;", "\\<script\\>&amp;amp;"],
  ["@pulumi/eks #12 ![x](y)", "@\u200bpulumi/eks \\#12 \\!\\[x\\](y)"],
  ["snake_case _em_ *b* `c` ~d~ \\", "snake_case \\_em\\_ \\*b\\* \\`c\\` \\~d\\~ \\\\"],
  ["one\n  two\r\nthree", "one<br>two<br>three"],
] as const)("a cell shows %j as it is", ([text, markdown]) => expect(cell(text)).toBe(markdown));

test("parts of Markdown cannot be ended by what is in them", () => {
  expect(code("a``b")).toBe("```a``b```");
  expect(code("`a`")).toBe("`` `a` ``");
  expect(fenced("diff", ["````"])).toBe("`````diff\n````\n`````");
  expect(collapsed("a <b>", "c")).toBe("<details><summary>a &#60;b&#62;</summary>\n\nc\n\n</details>");
  expect(plain("")).toBe("");
});

test("a table cuts its rows where there is no more room, and counts them", () => {
  expect(table(["a", "b"], [["1", "2"]], { right: [1] })).toBe("| a | b |\n| --- | ---: |\n| 1 | 2 |");
  expect(table(["a"], [["1"], ["2"], ["3"]], { room: 12 })).toBe(
    "| a |\n| --- |\n| 1 |\n| 2 |\n\n1 more not shown because the comment is too long.",
  );
  expect(limited(["ab", "cd"], 6)).toEqual({ kept: ["ab", "cd"], left: 0 });
  expect(limited(["ab", "cd"], 5)).toEqual({ kept: ["ab"], left: 1 });
});
