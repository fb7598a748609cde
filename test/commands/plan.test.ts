import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { show } from "../../components/core/problems";
import { labs } from "../../stacks/labs";
import { folder } from "../support/files";
import { foreignProject } from "../support/foreign-project";
import { runPlan } from "../support/cli";
import { labAtRest, seoulUsd } from "../support/prices";

const bucket = 'import * as aws from "@pulumi/aws"; new aws.s3.Bucket("b");';

describe("the base stack", () => {
  test("is accepted, priced, and followed by the next command", async () => {
    const { status, out, err } = await runPlan([]);
    expect(err).toBe("");
    expect(status).toBe(0);
    expect(out).toMatch(/^Stack gpu-lab of eks-gpu-lab in ap-northeast-2: \d+ to create/);
    expect(out).toContain("desired 0, min 0, max 2");
    // A lease has an alarm.
    const hourly = labAtRest() + seoulUsd("cloudwatch-alarm") / 730;
    expect(out).toMatch(new RegExp(`total +${hourly.toFixed(4)} +${(hourly * 730).toFixed(2)}\\n`));
    expect(out).toContain("Accepted by the policy pack eks-gpu-lab");
    expect(out).toContain("pulumi preview --stack gpu-lab");
    expect(out).not.toContain("\u001b[");
  });

  test("a lab on a local cluster is in no region and costs nothing", async () => {
    const settings = ["localCluster.context=kwok-gpu-lab", "localCluster.gpus=fake"].flatMap((one) => [
      "--config",
      one,
    ]);
    const { out } = await runPlan(["--stack", "device-plugin", ...settings, "--markdown", "-"]);
    expect(out).toContain("### ✅ Plan of device-plugin\n");
    const text = await runPlan(["--stack", "device-plugin", ...settings]);
    expect(text.out).toMatch(/^Stack device-plugin of eks-gpu-lab: \d+ to create/);
    expect(text.out).toMatch(/total +0\.0000 +0\.00/);
    expect(text.out).not.toContain("GPU nodes  none");
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
    const { out, err } = await runPlan(["--diagram", svg, "--markdown", md]);
    expect(err).toBe(`Wrote ${svg}\nWrote ${md}\n`);
    expect(out).toContain("Accepted");
    expect(readFileSync(svg, "utf8")).toMatch(/<svg[^]*gpu-lab-gpu[^]*<\/svg>/);
    expect(readFileSync(md, "utf8")).toMatch(/```mermaid[^]*gpu-lab-gpu/);
    await runPlan(["--diagram", mmd]);
    expect(readFileSync(mmd, "utf8")).toMatch(/^flowchart/m);
  });

  test("--html writes a page of one stack, or of all, and the plan is still printed", async () => {
    const file = join(folder({}), "plan.html");
    const { out, err } = await runPlan(["--html", file]);
    expect([out, err]).toEqual([expect.stringContaining("Accepted"), `Wrote ${file}\n`]);
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>[^]*<svg[^]*gpu-lab-gpu[^]*<\/html>\s*$/);
    const changed = ["--config", "nccl=blocked", "--against", "gpu-lab", "--html", file];
    expect((await runPlan(changed)).out).not.toContain("NodeGroup");
    expect(readFileSync(file, "utf8")).toMatch(/class="line removed">- SecurityGroupIngressRule[^]*<svg/);
    await runPlan(["--all", "--html", file]);
    const page = readFileSync(file, "utf8");
    for (const lab of Object.keys(labs)) expect(page).toMatch(new RegExp(`<h1[^>]*>\\s*${lab} `));
  });

  test("--markdown - replaces the text on standard output", async () => {
    const { out } = await runPlan(["--markdown", "-"]);
    expect(out).toContain("```mermaid");
    expect(out).not.toContain("Resources\n");
  });

  test("--against a stack shows only the difference of a configuration value", async () => {
    const { status, out } = await runPlan(["--config", "nccl=blocked", "--against", "gpu-lab"]);
    expect(status).toBe(0);
    expect(out).toMatch(/^From gpu-lab to gpu-lab with nccl=blocked: /);
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

  test("--against shows the cost in use, and which resources a change replaces", async () => {
    const size = await runPlan(["--config", "gpuNodes.maxSize=1", "--against", "gpu-lab"]);
    expect(size.out).toMatch(
      /at rest, in USD per hour: ([\d.]+), unchanged\nCost in use, in USD per hour: [\d.]+ -> [\d.]+\n/,
    );
    expect(size.out).not.toContain("replaced");
    const type = await runPlan(["--config", "gpuNodes.instanceType=g6.xlarge", "--against", "gpu-lab"]);
    expect(type.out).toMatch(/^~ NodeGroup \S+ \(replaced: instanceTypes\[0\]\)$/m);
    expect(type.out).toMatch(/^~ Tag \S+$/m);
    const stacks = await runPlan(["--stack", "nccl-block", "--against", "gpu-lab"]);
    expect(stacks.out).not.toContain("replaced");
  });

  test("colors and a progress line appear on a terminal only", async () => {
    const { err } = await runPlan([], { terminal: { isTTY: true, columns: 80 } });
    expect(err).toContain("planning gpu-lab ...");
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
  });

  test("an error on a terminal replaces the progress line", async () => {
    const { err } = await runPlan(["--config", "gpuNodes.maxSize=0"], { terminal: { isTTY: true, columns: 80 } });
    expect(err).toContain("planning gpu-lab ...\r\u001b[2K1 problem with stack gpu-lab:");
  });
});

describe("several stacks", () => {
  const program = 'import * as pulumi from "@pulumi/pulumi"; new pulumi.CustomResource("a:b:C", "c", {});';
  const project = () => foreignProject(program, { "Pulumi.bad.yaml": "config: { aws:region: mars }\n" });

  test("one that cannot be planned does not hide the others", async () => {
    const { status, out, err } = await runPlan(["--stack", "bad,dev", "--json"], { cwd: project() });
    expect(status).toBe(2);
    expect(err).toContain('aws:region: got "mars"');
    expect(JSON.parse(out)).toMatchObject([
      { stack: "bad", error: expect.stringContaining("aws:region") as string },
      { steps: expect.anything() as unknown[] },
    ]);
  });

  test("are compared with a base that the command has saved, without the stacks that are not named", async () => {
    const cwd = project();
    writeFileSync(join(cwd, "base.json"), (await runPlan(["--all", "--json"], { cwd })).out);
    const run = (...args: string[]) => runPlan(["--base", "base.json", "--json", ...args], { cwd });
    expect(JSON.parse((await run("--stack", "dev")).out)).toMatchObject({ failed: false, changed: [] });
    const all = await run("--all", "--changed", "--sarif", "plan.sarif", "--junit", "plan.xml");
    expect(all.status).toBe(2);
    expect(JSON.parse(all.out)).toMatchObject({ failed: true, stacks: [{ stack: "bad", change: "unknown" }] });
    expect(readFileSync(join(cwd, "plan.xml"), "utf8")).toContain('errors="1"');
  });

  test("a named stack that only the base has is removed, and one that neither has cannot be planned", async () => {
    const cwd = foreignProject(program, { "Pulumi.prod.yaml": "config: { aws:region: us-east-1 }\n" });
    writeFileSync(join(cwd, "base.json"), (await runPlan(["--all", "--json"], { cwd })).out);
    rmSync(join(cwd, "Pulumi.prod.yaml"));
    const run = (stacks: string) =>
      runPlan(["--base", "base.json", "--json", "--stack", stacks, "--junit", "plan.xml"], { cwd });
    const { status, out } = await run("prod");
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ changed: ["prod"], stacks: [{ stack: "prod", change: "removed" }] });
    expect(readFileSync(join(cwd, "plan.xml"), "utf8")).toContain('<testsuite name="prod" tests="1"');
    expect(JSON.parse((await run("dev,prod")).out)).toMatchObject({ stacks: [{ stack: "dev" }, { stack: "prod" }] });
    const unknown = await run("prud");
    expect(unknown.status).toBe(2);
    expect(JSON.parse(unknown.out)).toMatchObject({ failed: true, changed: [], stacks: [] });
    expect(unknown.err).toContain('--stack: got "prud"');
  });

  test("--changed counts the stacks that are equal, and names them in every report", async () => {
    const cwd = foreignProject(program, { "Pulumi.prod.yaml": "config: { aws:region: us-east-1 }\n" });
    const saved = JSON.parse((await runPlan(["--all", "--json"], { cwd })).out) as { steps: unknown[] }[];
    writeFileSync(
      join(cwd, "base.json"),
      JSON.stringify([{ ...saved[0], steps: saved[0]?.steps.slice(0, 1) }, saved[1]]),
    );
    const run = (...args: string[]) =>
      runPlan(["--base", "base.json", "--all", "--changed", "--junit", "plan.xml", ...args], { cwd });
    expect((await run()).out).toMatch(/Unchanged: prod\s+1 of 2 stacks changed/);
    expect((await run("--markdown", "-")).out).toMatch(/Plan: 1 of 2 stacks changes[^]*Unchanged: prod/);
    expect(readFileSync(join(cwd, "plan.xml"), "utf8")).toContain('<testsuite name="prod" tests="1" failures="0"');
  });

  test.for([
    ["--base", ["--base", "x", "--against", "y"]],
    ["--summary", ["--summary", "x"]],
    ["--changed", ["--changed", "--all"]],
    ["--stack", ["--stack", "a,b", "--diagram", "x.svg"]],
  ] as const)("rejects %s in a wrong combination", async ([option, args]) => {
    const { status, err } = await runPlan([...args]);
    expect(status).toBe(2);
    expect(err).toMatch(new RegExp(`^ {2}${option}: .*(Needs|Cannot be combined|need one)`, "m"));
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
    expect(out).toMatch(/^Rejected by /m);
  });

  test("--policy-config sets levels and parameters, and is rejected when it names an unknown rule", async () => {
    const dir = folder({
      "strict.json": '{"gpu-operator-chart-pinned":{"allowed":["v26.3.3"]}}',
      "allow.json": '{"gpu-operator-chart-pinned":{"allowed":["v26.7.0"]}}',
      "wrong.json": '{"gpu-operator-chart-pined":"advisory"}',
      "broken.json": "{",
    });
    const other = ["-c", "gpuOperator.enabled=true", "-c", "gpuOperator.chartVersion=v26.7.0"];
    const withConfig = (file: string) => runPlan([...other, "--policy-config", join(dir, file)]);
    expect((await withConfig("strict.json")).status).toBe(1);
    expect((await withConfig("allow.json")).status).toBe(0);
    expect(await withConfig("wrong.json")).toMatchObject({
      status: 2,
      err: expect.stringContaining("gpu-operator-chart-pined") as string,
    });
    expect((await withConfig("broken.json")).err).toMatch(/--policy-config: got ".*broken\.json"\./);
  });

  test.for(["null", '["x"]', '"advisory"', "3"])("2 for a --policy-config file that contains %s", async (content) => {
    const file = join(folder({ "policies.json": content }), "policies.json");
    const { status, err } = await runPlan(["--policy-config", file]);
    expect(status).toBe(2);
    expect(err).toContain(`:\n  --policy-config: got ${show(file)}. Must contain an object.`);
  });

  test("0 is followed by a preview with the own pack, and without a pack of the same name as a folder", async () => {
    const pack = {
      "PulumiPolicy.yaml": "runtime: nodejs",
      "index.ts": 'import { lab, serve } from "../own/policies"; serve(lab);',
    };
    const files = ["policies", "lab"].flatMap((name) =>
      Object.entries(pack).map(([file, text]) => [`${name}/${file}`, text]),
    );
    const cwd = foreignProject("", Object.fromEntries(files) as Record<string, string>);
    symlinkSync(process.cwd(), join(cwd, "own"));
    const next = async (name: string) => /pulumi preview .*/.exec((await runPlan(["--pack", name], { cwd })).out)?.[0];
    expect(await next("./policies")).toBe("pulumi preview --stack dev --policy-pack ./policies");
    expect(await next("./policies/index.ts")).toBe("pulumi preview --stack dev");
    expect(await next("lab")).toBe("pulumi preview --stack dev");
  });

  test("3 with one line when the disk is full", async () => {
    const { status, err } = await runPlan(["--markdown", "/dev/full"]);
    expect(status).toBe(3);
    expect(err).toMatch(/^eks-gpu-lab plan failed: --markdown \/dev\/full cannot be written: ENOSPC.*\n$/);
  });

  test("2 with all problems of the configuration", async () => {
    const { status, out, err } = await runPlan(["-c", "gpuNodes.maxSize=0", "-c", "nccl=closed"]);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toMatch(/^2 problems with stack gpu-lab:\n {2}gpuNodes\.maxSize[^]*\n {2}nccl: got "closed"/);
  });

  test("2 with the region and all other problems of the configuration", async () => {
    const wrong = ["gpuNodes.maxsize=1", "ncl=blocked", "aws:region=mars", "lease.hours=100"];
    const { status, err } = await runPlan(wrong.flatMap((one) => ["--config", one]));
    expect(status).toBe(2);
    expect(err).toMatch(/^4 problems with stack gpu-lab:\n/);
    for (const path of ["aws:region", "eks-gpu-lab:ncl", "gpuNodes.maxsize", "lease.hours"]) {
      expect(err).toContain(`\n  ${path}: got `);
    }
  });

  test("a wrong region hides no problem, and adds none of another region", async () => {
    const { err } = await runPlan(["-c", "aws:region=mars", "-c", "gpuNodes.instanceType=p5.48xlarge"]);
    expect(err).toMatch(/^1 problem with stack gpu-lab:\n {2}aws:region: /);
  });

  test("the fix of a region that the stack file has is a command", async () => {
    const dir = foreignProject("", { "Pulumi.dev.yaml": "config:\n  aws:region: mars\n" });
    const fix = "run pulumi config set aws:region ap-northeast-2 --stack dev";
    expect((await runPlan([], { cwd: dir })).err).toContain(fix);
  });

  test.for([
    ["--pack none --stack nope --config foo", ["--pack", "--stack", "--config"]],
    ["--pack none --config ncl=blocked --config aws:region=mars", ["--pack", "aws:region", "eks-gpu-lab:ncl"]],
    ["--diagram a.png --html a.png --markdown a.png --config foo", ["--diagram", "--html", "--html", "--config"]],
    ["--bogus --stack gpu-lab --config ncl=blocked", ["--bogus", "eks-gpu-lab:ncl"]],
    // The unknown option may be the stack, so that the values of another one tell nothing.
    ["--stak nccl-block --config fault=on --config foo", ["--stak", "--config"]],
    ["--stack nope --config foo", ["--stack", "--config"]],
  ] as const)("2 with all problems of %s", async ([line, paths]) => {
    const { err } = await runPlan(line.split(" "));
    expect([...err.matchAll(/^ {2}(\S+): /gm)].map(([, path]) => path)).toEqual(paths);
  });

  test("2 for what the region does not offer", async () => {
    const { status, err } = await runPlan(["-c", "gpuNodes.instanceType=p5.48xlarge", "-c", "aws:region=eu-west-1"]);
    expect(status).toBe(2);
    expect(err).toContain('gpuNodes.instanceType: got "p5.48xlarge".');
  });

  test.for([
    [["--stack", "nope"], "--stack", "nope"],
    [["--stak", "x"], "--stak", undefined],
    [["--bogus"], "--bogus", undefined],
    [["extra"], "extra", undefined],
    [["--stack"], "--stack", undefined],
    [["--stack="], "--stack", ""],
    [["-s"], "--stack", undefined],
    [["--json=yes"], "--json", "yes"],
    [["--pack", "none"], "--pack", "none"],
    [["--diagram", "x.png"], "--diagram", "x.png"],
    [["--html", "plan.svg"], "--html", "plan.svg"],
    [["--html", "-"], "--html", "-"],
    [["--html", "a.html", "--markdown", "a.html"], "--html", "a.html"],
    [["--html", "/nowhere/plan.html"], "--html", "/nowhere/plan.html"],
    [["--all", "--stack", "gpu-lab"], "--all", undefined],
    [["--diagram", "/nowhere/plan.svg"], "--diagram", "/nowhere/plan.svg"],
    [["--markdown", "/nowhere/plan.md"], "--markdown", "/nowhere/plan.md"],
    [["--markdown", "/dev"], "--markdown", "/dev"],
    [["--json", "--markdown", "-"], "--markdown", "-"],
    [["--against", "gone"], "--against", "gone"],
    [["--against", "docs"], "--against", "docs"],
    [["-s", "gpu-lab", "--stack", "nccl-block"], "--stack", "nccl-block"],
    [["--pack", "lab", "--pack", "lab"], "--pack", "lab"],
    [["--policy-config", "gone.json"], "--policy-config", "gone.json"],
    [["--config", "aws:assumeRole=x"], "aws:assumeRole", "x"],
    [["--config", "aws:region=mars"], "aws:region", "mars"],
  ] as const)("2 for %s", async ([args, path, got]) => {
    const { status, err } = await runPlan(args);
    expect(status).toBe(2);
    expect(err).toContain(`:\n  ${path}: ${got === undefined ? "" : `got ${show(got)}. `}`);
  });

  test("the wording of the problems of options", async () => {
    const wrong = [
      "--stak x",
      "--bogus",
      "extra",
      "nccl=open",
      "--stack",
      "--json=yes",
      "--pack none",
      "--diagram x.png",
    ];
    const twice = ["--stack gpu-lab --stack gpu-lab", "--json --markdown -", "--against docs"];
    const unknown = ["--region us-east-1", "--regoin=us-east-1", "-x 5", "--jsn gpu-lab"];
    const more = [
      ...unknown,
      "--all --stack gpu-lab",
      "--diagram /nowhere/plan.svg",
      "--config aws:region=mars",
      ...twice,
    ];
    const texts: string[] = [];
    for (const line of [...wrong, ...more]) texts.push((await runPlan(line.split(" "))).err);
    expect(texts.join("")).toMatchInlineSnapshot(`
      "1 problem with the command line:
        --stak: Unknown option.
          fix: did you mean --stack?
      1 problem with the command line:
        --bogus: Unknown option.
          fix: run the command with --help for its options
      1 problem with the command line:
        extra: Unexpected argument.
          fix: write --stack extra
      1 problem with the command line:
        nccl=open: Unexpected argument.
          fix: write --config nccl=open
      1 problem with the command line:
        --stack: Requires a value.
          fix: run the command with --help for its options
      1 problem with the command line:
        --json: got "yes". Does not take a value.
          fix: remove the value
      1 problem with the command line:
        --pack: got "none". Unknown policy pack.
          fix: use one of lab, shared, audit, or a path such as ./policies
      1 problem with the command line:
        --diagram: got "x.png". Must end in .svg or .mmd.
          fix: use a name such as lab.svg
      1 problem with the command line:
        --region: Unknown option.
          fix: use --config aws:region=NAME
      1 problem with the command line:
        --regoin: Unknown option.
          fix: use --config aws:region=NAME
      1 problem with the command line:
        -x: Unknown option.
          fix: run the command with --help for its options
      2 problems with the command line:
        --jsn: Unknown option.
          fix: did you mean --json?
        gpu-lab: Unexpected argument.
          fix: write --stack gpu-lab
      1 problem with the command line:
        --all: Cannot be combined with --stack, --diagram or --against.
          fix: remove one of the options
      1 problem with the command line:
        --diagram: got "/nowhere/plan.svg". Cannot be written: its folder does not exist.
          fix: use the path of a file in an existing folder
      1 problem with stack gpu-lab:
        aws:region: got "mars". Must be the name of an AWS region.
          fix: use another region, e.g. --config aws:region=ap-northeast-2
      1 problem with the command line:
        --stack: got "gpu-lab". Repeats --stack, which takes one value.
          fix: remove one of them
      1 problem with the command line:
        --markdown: got "-". Cannot be combined with --json: both would write to standard output.
          fix: use --markdown FILE, or remove --json
      1 problem with the command line:
        --against: got "docs". Is neither a stack of the project nor a saved plan.
          fix: use one of device-plugin, gang-deadlock, gpu-lab, gpu-rollout, model-server, nccl-block, no-node-comes, node-health, runtime-socket, a file that --json wrote
      "
    `);
  });

  test("2 for the name of a folder without ./, and for a file that is gone, in the same words as for a pack", async () => {
    const { err } = await runPlan(["--pack", "policies"]);
    expect(err).toContain('--pack: got "policies". Unknown policy pack.\n    fix: did you mean ./policies?\n');
    for (const args of ["--policy-config ./gone.json", "--pack ./gone.json"]) {
      const [option] = args.split(" ");
      expect((await runPlan(args.split(" "))).err).toContain(`  ${option}: got "./gone.json". Does not exist.\n`);
    }
    const folder = (await runPlan(["--policy-config", "policies"])).err;
    expect(folder).toContain("Cannot be read: it is a folder.\n");
  });

  test("2 outside a project, and where its packages are missing", async () => {
    expect((await runPlan([], { cwd: folder({}) })).err).toContain("Pulumi.yaml: ");
    const bare = folder({ "Pulumi.yaml": "name: x\nruntime: nodejs\n", "index.ts": "", "Pulumi.dev.yaml": "" });
    expect((await runPlan([], { cwd: bare })).err).toContain("fix: run `npm install` in the project");
  });

  test("2 without a region", async () => {
    const dir = foreignProject(bucket, { "Pulumi.dev.yaml": "" });
    expect(await runPlan([], { cwd: dir })).toMatchObject({
      status: 2,
      err: expect.stringContaining("aws:region: ") as string,
    });
  });

  test("3 when the program itself fails, with its stack", async () => {
    const dir = foreignProject('throw new TypeError("oh no");');
    const { status, err } = await runPlan([], { cwd: dir });
    expect(status).toBe(3);
    expect(err).toMatch(/eks-gpu-lab plan failed\nTypeError: oh no\n +at .*index\.ts/);
  });
});

test("the plan of another project has a message for each value that is missing offline", async () => {
  const dir = foreignProject(
    `import * as pulumi from "@pulumi/pulumi";
     const answer = pulumi.runtime.invokeOutput("aws:rds/getInstance:getInstance", {});
     new pulumi.CustomResource("aws:s3/bucket:Bucket", "b", {});
     export const region = new pulumi.Config("aws").require("region");`,
    { "Pulumi.dev.yaml": "environment: [shared]\nconfig:\n  aws:region: us-east-1\n  token: {secure: abc}\n" },
  );
  const { status, out } = await runPlan([], { cwd: dir });
  expect(status).toBe(0);
  expect(out).toMatch(/^Stack dev of shop in us-east-1: 2 to create/);
  expect(out.slice(out.indexOf("Messages"), out.indexOf("Accepted"))).toMatchInlineSnapshot(`
    "Messages
      warning: shop:token is encrypted. The plan uses a placeholder.
      warning: The ESC environment shared is not opened. Its values are missing from the plan.
      warning: The program does not read token, so its value has no effect.
      warning: Unknown offline: the results of aws:rds/getInstance:getInstance. To plan with certain
      results, use --answers FILE.

    "
  `);
});

test("--answers gives the results of lookups, and its mistakes are wrong input", async () => {
  const dir = foreignProject(
    `const aws = require("@pulumi/aws");
     const program = async () => {
       const { cidrBlock } = await aws.ec2.getVpc({ default: true });
       new aws.ec2.Vpc("copy-of-" + cidrBlock.split(".")[1], { cidrBlock });
     };
     module.exports = program();`,
    {
      "Pulumi.dev.yaml": "config:\n  aws:region: us-east-1\n",
      "answers.yaml": "aws.ec2.getVpc: {cidrBlock: 10.200.0.0/16}\n",
      "wrong.json": '{"aws.ec2.getVpcc": {}, "aws.ec2.getVpc": {"cidrBlok": "10.0.0.0/16"}}',
    },
  );
  const answered = await runPlan(["--json", "--answers", "answers.yaml"], { cwd: dir });
  expect(answered.out).toContain("10.200.0.0/16");
  expect(answered.out).toContain("copy-of-200");
  const wrong = await runPlan(["--answers", "wrong.json"], { cwd: dir });
  expect(wrong.status).toBe(2);
  expect(wrong.err).toMatch(/did you mean aws\.ec2\.getVpc\?.*did you mean aws\.ec2\.getVpc\.cidrBlock\?/s);
});

test("two resources with the same name are rejected, as by the engine", async () => {
  const dir = foreignProject(
    `import * as pulumi from "@pulumi/pulumi";
     for (const _ of [1, 2]) new pulumi.CustomResource("aws:s3/bucket:Bucket", "b", {});`,
  );
  const { status, err } = await runPlan([], { cwd: dir });
  expect(status).toBe(3);
  expect(err).toContain("duplicate resource URN urn:pulumi:dev::shop::aws:s3/bucket:Bucket::b");
});
