import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { labs } from "../../stacks/labs";
import { folder } from "../support/files";
import { runPlan } from "../support/cli";

/** A Pulumi project of somebody else, with this repository's packages. */
function foreignProject(program: string, files: Record<string, string> = {}): string {
  const yaml = "name: shop\nruntime: nodejs\n";
  const dir = folder({
    "Pulumi.yaml": yaml,
    "Pulumi.dev.yaml": "config:\n  aws:region: us-east-1\n",
    "package.json": "{}",
    "index.ts": program,
    ...files,
  });
  symlinkSync(join(process.cwd(), "node_modules"), join(dir, "node_modules"));
  return dir;
}

describe("the base stack", () => {
  test("is accepted, priced, and followed by the next command", async () => {
    const { status, out, err } = await runPlan([]);
    expect(err).toBe("");
    expect(status).toBe(0);
    expect(out).toMatch(/^gpu-lab of eks-gpu-lab in ap-northeast-2: \d+ to create/);
    expect(out).toContain("desired 0, min 0, max 2");
    expect(out).toMatch(/together +0\.2769 +202\.11/);
    expect(out).toContain("Accepted by the pack eks-gpu-lab");
    expect(out).toContain("pulumi preview --stack gpu-lab");
    expect(out).not.toContain("\u001b[");
  });

  test("--json has the shape of pulumi preview --json, with policies and cost", async () => {
    const { out } = await runPlan(["--json"]);
    const plan = JSON.parse(out) as {
      steps: { op: string; urn: string; newState: { type: string; inputs: Record<string, unknown> } }[];
      changeSummary: { create: number };
      cost: { region: string };
      policies: unknown[];
    };
    expect(plan.steps.every(({ op }) => op === "create")).toBe(true);
    expect(plan.changeSummary.create).toBe(plan.steps.length);
    expect(plan.cost.region).toBe("ap-northeast-2");
    expect(plan.policies).toEqual([]);
    const group = plan.steps.find(({ urn }) => urn.endsWith("aws:eks/nodeGroup:NodeGroup::gpu-lab-gpu"));
    expect(group?.newState.inputs["scalingConfig"]).toEqual({ minSize: 0, maxSize: 2, desiredSize: 0 });
  });

  test("--all plans every stack", async () => {
    const { status, out } = await runPlan(["--all", "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toHaveLength(Object.keys(labs).length);
  });

  test("--diagram and --markdown write files, and the plan is still printed", async () => {
    const dir = folder({});
    const [svg, mmd, md] = ["plan.svg", "plan.mmd", "plan.md"].map((file) => join(dir, file)) as [
      string,
      string,
      string,
    ];
    const { out } = await runPlan(["--diagram", svg, "--markdown", md]);
    expect(out).toContain("Accepted");
    expect(readFileSync(svg, "utf8")).toMatch(/<svg[^]*gpu-lab-gpu[^]*<\/svg>/);
    expect(readFileSync(md, "utf8")).toMatch(/```mermaid[^]*gpu-lab-gpu/);
    await runPlan(["--diagram", mmd]);
    expect(readFileSync(mmd, "utf8")).toMatch(/^flowchart/m);
  });

  test("--markdown - replaces the text on standard output", async () => {
    const { out } = await runPlan(["--markdown", "-"]);
    expect(out).toContain("```mermaid");
    expect(out).not.toContain("Money at rest");
  });

  test("--against a stack shows a switch as its difference alone", async () => {
    const { status, out } = await runPlan(["--config", "nccl=blocked", "--against", "gpu-lab"]);
    expect(status).toBe(0);
    expect(out).toContain("SecurityGroupIngressRule");
    expect(out).not.toContain("NodeGroup");
  });

  test("--against a saved plan, in text, Markdown and JSON", async () => {
    const saved = join(folder({ "base.json": (await runPlan(["--json"])).out }), "base.json");
    expect((await runPlan(["--against", saved])).out).toContain("are equal");
    const changed = ["--against", saved, "--config", "gpuNodes.maxSize=3"];
    expect((await runPlan([...changed, "--markdown", "-"])).out).toContain("scalingConfig.maxSize");
    expect(JSON.parse((await runPlan([...changed, "--json"])).out)).toHaveProperty("changed");
  });

  test("colours and a progress line appear on a terminal only", async () => {
    const { err } = await runPlan([], { terminal: { isTTY: true, columns: 80 } });
    expect(err).toContain("planning gpu-lab ...");
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
  });
});

describe("exit status", () => {
  test("1 when a mandatory rule fails, with the rule and its fix", async () => {
    const dir = foreignProject(
      `import * as pulumi from "@pulumi/pulumi";
       new pulumi.CustomResource("aws:eks/nodeGroup:NodeGroup", "n", { scalingConfig: { minSize: 0, maxSize: 1, desiredSize: 3 } });`,
    );
    const { status, out } = await runPlan([], { cwd: dir });
    expect(status).toBe(1);
    expect(out).toContain("nodegroup-scaling-order");
    expect(out).toContain("Refused by the pack");
  });

  test("--policy-config sets levels and parameters, and is refused when it names nothing that exists", async () => {
    const dir = folder({
      "allow.json": '{"gpu-operator-chart-pinned":{"allowed":["v26.7.0"]}}',
      "wrong.json": '{"gpu-operator-chart-pined":"advisory"}',
      "broken.json": "{",
    });
    const other = ["-c", "gpuOperator.enabled=true", "-c", "gpuOperator.chartVersion=v26.7.0"];
    const withConfig = (file: string) => runPlan([...other, "--policy-config", join(dir, file)]);
    expect((await runPlan(other)).status).toBe(1);
    expect((await withConfig("allow.json")).status).toBe(0);
    expect(await withConfig("wrong.json")).toMatchObject({
      status: 2,
      err: expect.stringContaining("gpu-operator-chart-pined") as string,
    });
    expect((await withConfig("broken.json")).err).toContain("It is not a JSON file that can be read");
  });

  test("2 with every problem of the configuration", async () => {
    const { status, out, err } = await runPlan(["-c", "gpuNodes.maxSize=0", "-c", "nccl=closed"]);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(/^stack gpu-lab: 2 problems in the input\n {2}gpuNodes\.maxSize[^]*\n {2}nccl: got "closed"/);
  });

  test("2 for what the region does not offer", async () => {
    const { status, err } = await runPlan(["-c", "gpuNodes.instanceType=p5.48xlarge", "-c", "aws:region=eu-west-1"]);
    expect(status).toBe(2);
    expect(err).toContain('gpuNodes.instanceType: got "p5.48xlarge". The region does not offer it.');
  });

  test.for([
    [
      ["--stack", "nope"],
      /--stack: got "nope"\. There is no Pulumi\.nope\.yaml[^]*fix: choose one of device-plugin, gpu-lab,/,
    ],
    [["--stak", "x"], /got "--stak"\. There is no such option\.\n {4}fix: did you mean --stack\?/],
    [["--bogus"], /fix: see --help/],
    [["extra"], /got "extra"\. It is not an option/],
    [["--stack"], /--stack: got nothing\. It needs a value/],
    [["--stack="], /--stack: got an empty text \(""\)\. It needs a value/],
    [["-s"], /--stack: got nothing\. It needs a value/],
    [["--json=yes"], /--json: got "yes"\. It takes no value/],
    [["--pack", "none"], / {2}--pack: got "none"\. There is no such pack\.\n {4}fix: choose one of lab/],
    [["--diagram", "x.png"], / {2}--diagram: got "x.png"\. Its ending names no format/],
    [["--all", "--stack", "gpu-lab"], / {2}--all: got true\. It stands alone/],
    [
      ["--diagram", "/nowhere/plan.svg"],
      /--diagram: got "\/nowhere\/plan\.svg"\. It cannot be written[^]*fix: name a file in a folder/,
    ],
    [["--markdown", "/nowhere/plan.md"], /--markdown: got "\/nowhere\/plan\.md"\. It cannot be written/],
    [["--against", "gone"], /There is no Pulumi\.gone\.yaml/],
    [["--config", "aws:assumeRole=x"], /aws:assumeRole: got "x"\. It must be an object/],
    [["--config", "aws:region=mars"], /aws:region: got "mars"\. It is not the name of an AWS region/],
  ] as const)("2 for %s", async ([args, expected]) => {
    const { status, err } = await runPlan(args);
    expect(status).toBe(2);
    expect(err).toMatch(expected);
  });

  test("2 outside a project, and where its packages are missing", async () => {
    expect((await runPlan([], { cwd: folder({}) })).err).toContain("There is no Pulumi project");
    const bare = folder({ "Pulumi.yaml": "name: x\nruntime: nodejs\n", "index.ts": "", "Pulumi.dev.yaml": "" });
    expect((await runPlan([], { cwd: bare })).err).toContain("fix: install the project's packages: npm install");
  });

  test("2 without a region", async () => {
    const dir = foreignProject("", { "Pulumi.dev.yaml": "" });
    expect(await runPlan([], { cwd: dir })).toMatchObject({
      status: 2,
      err: expect.stringContaining("fix: pulumi config set aws:region ap-northeast-2 --stack dev") as string,
    });
  });

  test("3 when the program itself fails, with its stack", async () => {
    const dir = foreignProject('throw new TypeError("oh no");');
    const { status, err } = await runPlan([], { cwd: dir });
    expect(status).toBe(3);
    expect(err).toMatch(/eks-gpu-lab plan failed\nTypeError: oh no\n +at .*index\.ts/);
  });
});

test("another project is planned as it is, and what could not be answered is said", async () => {
  const dir = foreignProject(
    `import * as pulumi from "@pulumi/pulumi";
     const answer = pulumi.runtime.invokeOutput("aws:rds/getInstance:getInstance", {});
     new pulumi.CustomResource("aws:s3/bucket:Bucket", "b", {});
     export const region = new pulumi.Config("aws").require("region");`,
    { "Pulumi.dev.yaml": "environment: [shared]\nconfig:\n  aws:region: us-east-1\n  token: {secure: abc}\n" },
  );
  const { status, out } = await runPlan([], { cwd: dir });
  expect(status).toBe(0);
  expect(out).toMatch(/^dev of shop in us-east-1: 2 to create/);
  expect(out.replace(/\s+/g, " ")).toContain("aws:rds/getInstance:getInstance has no offline answer");
  expect(out.replace(/\s+/g, " ")).toContain("shop:token is encrypted: the plan uses a placeholder for it");
  expect(out.replace(/\s+/g, " ")).toContain("ESC environment shared is not opened");
});

test("two resources of one name are refused, as the engine would", async () => {
  const dir = foreignProject(
    `import * as pulumi from "@pulumi/pulumi";
     for (const _ of [1, 2]) new pulumi.CustomResource("aws:s3/bucket:Bucket", "b", {});`,
  );
  const { status, err } = await runPlan([], { cwd: dir });
  expect(status).toBe(3);
  expect(err).toContain("duplicate resource URN urn:pulumi:dev::shop::aws:s3/bucket:Bucket::b");
});
