import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { findProject } from "../../../planner/program/project";
import { stackConfig } from "../../../planner/program/stack-config";
import { readYaml } from "../../../planner/program/yaml-file";
import { folder } from "../../support/files";
import { ownProject } from "../../support/own-project";

const runner = resolve("test/support/run-with-mocks.cjs");

test("the loader that Pulumi.yaml names runs the program", { timeout: 60_000 }, () => {
  const { options } = (readYaml("Pulumi.yaml") as { runtime: { options: Record<string, unknown> } }).runtime;
  expect(options).toMatchObject({ typescript: false });
  const { values } = stackConfig(findProject(ownProject), "gpu-lab", []);
  const args = [...String(options["nodeargs"]).split(" "), runner, JSON.stringify(values)];
  const { stdout } = spawnSync(process.execPath, args, { cwd: "stacks", encoding: "utf8" });
  // Without an engine, the SDK prints messages, too.
  const types = JSON.parse(/\[".*"\]/.exec(stdout)?.[0] ?? "") as string[];
  expect(types).toContain("eks-gpu-lab:index:GpuEnvironment");
  expect(types.filter((type) => type === "aws:eks/nodeGroup:NodeGroup")).toHaveLength(2);
});

function errorOf(files: Record<string, string>): { readonly dir: string; readonly stderr: string } {
  const dir = folder({ "package.json": '{"main":"index.ts"}', ...files });
  const args = ["-r", resolve("planner/program/pulumi-loader.cjs"), runner, "{}"];
  return { dir, stderr: spawnSync(process.execPath, args, { cwd: dir, encoding: "utf8" }).stderr };
}

test("an error of the program has the lines of its sources", { timeout: 60_000 }, () => {
  const { dir, stderr } = errorOf({
    "index.ts": 'import { fail } from "./lib/fail";\n\nexport = (): void => fail();',
    "lib/fail.ts": 'interface Shape {\n  a: string;\n}\nexport function fail(): never {\n  throw new Error("boom");\n}',
  });
  expect(stderr).toContain(`at fail (${join(dir, "lib/fail.ts")}:5:9)`);
  expect(stderr).toContain(`${join(dir, "index.ts")}:3:`);
});

test(
  "a program with syntax errors is wrong input, which Pulumi prints without a stack trace",
  { timeout: 60_000 },
  () => {
    const { stderr } = errorOf({ "index.ts": "export const a: = 1;" });
    expect(stderr).toContain("1 problem with the program:");
    expect(stderr).toContain("index.ts:1:17: got ");
    expect(stderr).toContain("__pulumiRunError: true");
  },
);
