import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runPlan } from "../support/cli";
import { foreignProject } from "../support/foreign-project";

const kubernetes = 'import * as k8s from "@pulumi/kubernetes"; new k8s.core.v1.Namespace("n");';
const bucket = (options = "") => `import * as aws from "@pulumi/aws"; ${options}`;

function withoutStacks(program: string): string {
  const dir = foreignProject(program);
  rmSync(join(dir, "Pulumi.dev.yaml"));
  return dir;
}

beforeEach(() => {
  for (const name of ["AWS_REGION", "AWS_DEFAULT_REGION"]) vi.stubEnv(name, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

describe("a project without stack files", () => {
  test.for([[[]], [["--stack", "prod"]], [["--all"]]] as const)("is planned with %j", async ([args]) => {
    const { status, out } = await runPlan([...args], { cwd: withoutStacks(kubernetes) });
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`^Stack ${args[1] ?? "dev"} of shop: 2 to create`));
    expect(out).toContain("The project has no stack file.");
  });

  test("is compared with its own base, in which nothing changes", async () => {
    const cwd = withoutStacks(kubernetes);
    writeFileSync(join(cwd, "base.json"), (await runPlan(["--all", "--json"], { cwd })).out);
    const { status, out } = await runPlan(["--all", "--base", "base.json", "--json"], { cwd });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ changed: [], stacks: [{ stack: "dev", change: "unchanged" }] });
  });

  test("removes the stacks of its base", async () => {
    const cwd = foreignProject(kubernetes, { "Pulumi.prod.yaml": "" });
    writeFileSync(join(cwd, "base.json"), (await runPlan(["--all", "--json"], { cwd })).out);
    for (const stack of ["dev", "prod"]) rmSync(join(cwd, `Pulumi.${stack}.yaml`));
    const { status, out } = await runPlan(["--all", "--base", "base.json", "--json"], { cwd });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ stacks: [{ change: "removed" }, { change: "removed" }] });
  });
});

test.for([
  ["export const run = () => 1;", true],
  ["export const vpcId = 'vpc-1';", true],
  [kubernetes, false],
] as const)("%s creates no resource: %s", async ([program, isEmpty]) => {
  const { status, out } = await runPlan([], { cwd: withoutStacks(program) });
  expect(status).toBe(0);
  expect(out.includes("warning: The program does not create resources.")).toBe(isEmpty);
});

test("a project with several stacks needs the name of one", async () => {
  const cwd = foreignProject(kubernetes, { "Pulumi.prod.yaml": "" });
  const { status, err } = await runPlan([], { cwd });
  expect(status).toBe(2);
  expect(err).toContain("--stack: The project has several stacks.\n    fix: use one of dev, prod");
});

test("every unknown stack is named before any is planned", async () => {
  const { status, out, err } = await runPlan(["--stack", "dve,dev,live", "--json"], {
    cwd: foreignProject(kubernetes),
  });
  expect([status, out]).toEqual([2, ""]);
  expect(err).toMatch(/--stack: got "dve"[^]*--stack: got "live"/);
});

describe("the region", () => {
  const provider = (region: string, more = "") =>
    `const provider = new aws.Provider("p", { region: "${region}"${more} });`;

  test("comes from the environment, where the stack states none", async () => {
    vi.stubEnv("AWS_REGION", "eu-north-1");
    const { out } = await runPlan([], { cwd: withoutStacks(bucket('new aws.s3.Bucket("b");')) });
    expect(out).toMatch(/^Stack dev of shop in eu-north-1/);
  });

  test("of aws-native is that of the stack, and is checked", async () => {
    const cwd = withoutStacks(bucket('new aws.s3.Bucket("b");'));
    const run = (region: string) => runPlan(["--config", `aws-native:region=${region}`], { cwd });
    expect((await run("eu-west-1")).out).toContain("in eu-west-1");
    expect((await run("eu-wset-3")).err).toContain("use another region, e.g. --config aws-native:region=eu-west-3");
  });

  test("is not needed where each resource has its own", async () => {
    const program = `${provider("sa-east-1")} new aws.s3.Bucket("b", {}, { provider });
      new aws.sns.Topic("t", { region: "us-gov-east-1" });`;
    expect((await runPlan([], { cwd: withoutStacks(bucket(program)) })).status).toBe(0);
  });

  test.for([
    ["aws", 'new aws.s3.Bucket("b");'],
    ["eks", 'new (require("@pulumi/eks").Cluster)("c");'],
    ["aws, with an awaited lookup", 'aws.ec2.getAmi().then(({ id: ami }) => new aws.ec2.Instance("i", { ami }));'],
  ])("is needed by resources of %s, and the message says how to state it", async ([, program]) => {
    const { status, err } = await runPlan([], { cwd: withoutStacks(bucket(program)) });
    expect(status).toBe(2);
    expect(err).toContain("aws:region: ");
    expect(err).toContain("--config aws:region=REGION");
  });

  test.for([
    ["the command line", ["--config", "aws:region=eu-wset-3"], "", "", "aws:region=eu-west-3"],
    ["the environment", [], "", "ap-sotheast-2", "AWS_REGION=ap-southeast-2"],
    ["a provider", ["--config", "aws:region=us-east-1"], provider("ca-centrall-1"), "", "e.g. ca-central-1"],
    [
      "a resource",
      ["--config", "aws:region=us-east-1"],
      'new aws.sqs.Queue("q", { region: "me-suth-1" });',
      "",
      "me-south-1",
    ],
  ] as const)("of %s that does not exist is refused, with the one that is meant", async ([, args, more, env, fix]) => {
    if (env) vi.stubEnv("AWS_REGION", env);
    const { status, err } = await runPlan([...args], { cwd: withoutStacks(bucket(`new aws.s3.Bucket("b"); ${more}`)) });
    expect(status).toBe(2);
    expect(err).toContain(fix);
  });

  const local: readonly (readonly [string, string])[] = [
    ["an object", "new k8s.core.v1.Namespace('n');"],
    ["a Release", "new k8s.helm.v3.Release('r', { chart: './c' });"],
    ["a Chart", "new k8s.helm.v3.Chart('r', { path: './c' });"],
    ["objects of YAML", "new k8s.yaml.v2.ConfigGroup('g', { yaml: 'apiVersion: v1' });"],
    [
      "a provider",
      "new k8s.Namespace('n', {}, { provider: new k8s.Provider('p') });".replace("k8s.N", "k8s.core.v1.N"),
    ],
  ];
  test.for(local.flatMap(([what, code]) => ["", "mars"].map((region) => [what, code, region] as const)))(
    "is not needed for a program with %s of Kubernetes",
    async ([, code, region]) => {
      if (region) vi.stubEnv("AWS_REGION", region);
      const cwd = withoutStacks(`import * as k8s from "@pulumi/kubernetes"; ${code}`);
      const { status, out, err } = await runPlan([], { cwd });
      expect([status, err]).toEqual([0, ""]);
      expect(out).not.toMatch(/ in (mars|ap-northeast-2)/);
      expect(out.includes("Unknown cost: ")).toBe(/helm|yaml/.test(code));
    },
  );

  test("that is newer than this project is accepted without validation", async () => {
    const args = ["--config", "aws:region=eu-east-1", "--config", "aws:skipRegionValidation=true"];
    expect((await runPlan(args, { cwd: withoutStacks(bucket('new aws.s3.Bucket("b");')) })).status).toBe(0);
  });

  test("does not hide the error of a program that fails", async () => {
    const { err } = await runPlan([], { cwd: withoutStacks('throw new RangeError("too deep");') });
    expect(err).toContain("too deep");
    expect(err).not.toContain("aws:region");
  });
});
