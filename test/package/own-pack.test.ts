import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ModuleKind, ScriptTarget, transpile } from "typescript";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { firstLine, run } from "./project";

const page = readFileSync("docs/library.md", "utf8");
const [, code = ""] = /^## A policy pack of your own\n[^]*?^```ts\n([^]*?)^```$/m.exec(page) ?? [];

const program = `
  import { Config } from "@pulumi/pulumi";
  import { LogGroup } from "@pulumi/aws/cloudwatch";
  const days = new Config().getNumber("days");
  new LogGroup("logs", days === undefined ? {} : { retentionInDays: days });`;

const { project } = inject("consumer");
const dir = join(project, "own-pack");

beforeAll(async () => {
  const files = {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "Pulumi.dev.yaml": "config:\n  aws:region: us-east-1\n",
    "index.ts": program,
    "policies/PulumiPolicy.yaml": "runtime: nodejs\n",
    "policies/package.json": '{ "name": "acme", "version": "1.0.0" }',
    "policies/index.ts": code,
    "pack.js": transpile(code, { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 }),
  };
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), content);
  }
});

// package.test.ts checks the types of each example of the page.
describe("the pack of docs/library.md", () => {
  test("has at most 20 lines", () => {
    expect(code).toMatch(/resourceRule\([^]*\bpack\([^]*\bserve\(/);
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
  });

  test("judges resources in a unit test", async () => {
    const script = `
      const { judge } = require("eks-gpu-lab/policies");
      const { acme } = require("./pack.js");
      const type = "aws:cloudwatch/logGroup:LogGroup";
      const group = (name, properties) => ({ urn: "urn:pulumi:dev::shop::" + type + "::" + name, type, name, properties });
      const findings = judge(acme, [group("endless", {}), group("short", { retentionInDays: 14 })]);
      process.stdout.write(JSON.stringify(findings), () => process.exit());`;
    const { out, err } = await run(process.execPath, ["-e", script], dir);
    expect(JSON.parse(out || "{}"), err).toMatchObject([
      { pack: "acme", rule: "log-retention", level: "mandatory", verdict: "fail", name: "endless" },
    ]);
  });

  test.for(["./policies", "./policies/index.ts"])("judges a plan: --pack %s", async (pack) => {
    const plan = (...more: string[]) => run("npx", ["eks-gpu-lab", "plan", "--pack", pack, ...more], dir);
    const rejected = await plan();
    expect([rejected.status, rejected.err]).toEqual([1, ""]);
    expect(rejected.out).toMatch(
      /^Rejected by the policy pack acme 1\.0\.0 .*: 1 mandatory rule failed: log-retention/m,
    );
    expect(await plan("--config", "days=14")).toMatchObject({ status: 0, err: "" });
  });

  test("is started by the engine", async () => {
    const runner = join(project, "node_modules/@pulumi/pulumi/cmd/run-policy-pack/index.js");
    expect(await firstLine(process.execPath, [runner, "127.0.0.1:0", "."], join(dir, "policies"))).toMatch(/^\d{2,5}$/);
  });
});
