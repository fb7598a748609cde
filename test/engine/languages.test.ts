import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../simulation/pulumi/command";
import { describeEngine, errorsOf, failing, succeeding } from "./support/engine";
import { openProgram, providerFolder } from "./support/program";

const address = { "gpu-lab-yaml:publicAccessCidrs": '["8.8.8.8/32"]' };

/** Like `describeEngine`, but also skipped without the language host, with a message. */
function describeLanguage(language: string): typeof describe.skip {
  const { error } = spawnSync(`pulumi-language-${language}`, ["--help"]);
  if (error)
    process.stderr.write(`Tests of ${language} programs are skipped: pulumi-language-${language} is not on the PATH\n`);
  return error ? describe.skip : describeEngine;
}

describeLanguage("yaml")("a YAML program", () => {
  test("creates the environment", async () => {
    const program = await openProgram("examples/yaml");
    program.configure(address);
    const up = await succeeding(program.run("up"));
    expect(up.outputs["configureKubectl"]).toBe("aws eks update-kubeconfig --region ap-northeast-2 --name myeks");
    expect(program.cloud.find("aws:eks/nodeGroup:NodeGroup")).toHaveLength(2);
    await succeeding(program.run("preview", { expectNoChanges: true }));
    await succeeding(program.run("destroy"));
  });

  test("prints every problem of the arguments before it creates anything", async () => {
    const program = await openProgram("examples/yaml", {
      edits: { "Main.yaml": (text) => text.replace("maxSize: 2", "maxSize: -2").replace("g5.xlarge", "g5.xlrge") },
    });
    program.configure(address);
    expect(errorsOf(await failing(program.run("up"))).trim()).toBe(
      [
        `eks-gpu-lab:index:GpuEnvironment resource 'lab' has a problem: GpuEnvironment "lab": 2 problems in the input`,
        `  gpuNodes.instanceType: got "g5.xlrge". The catalog of 2026-11-21 has no such GPU instance type.`,
        `    fix: did you mean "g5.xlarge"?`,
        `  gpuNodes.maxSize: got -2. EKS requires a maximum of at least 1; for a group without nodes set desiredSize and minSize to 0.`,
        `    fix: set gpuNodes.maxSize to a whole number, from 1 to 450`,
      ].join("\n"),
    );
    expect(program.cloud.objects).toEqual([]);
  });
});

describeLanguage("python")("a Python program", () => {
  test("creates the environment with the SDK that pulumi install generates", async ({ skip }) => {
    const pip = Object.entries(process.env).filter(([key]) => key === "HOME" || key.startsWith("PIP_"));
    const program = await openProgram("examples/python", { env: Object.fromEntries(pip) });
    const failure = await runCommand(program.context, ["install"]).then(() => undefined, String);
    if (failure !== undefined) skip(`pulumi install needs a Python package index: ${failure}`);
    program.configure({ "gpu-lab-python:publicAccessCidrs": '["8.8.8.8/32"]' });
    const up = await succeeding(program.run("up"));
    expect(up.outputs["configureKubectl"]).toBe("aws eks update-kubeconfig --region ap-northeast-2 --name myeks");
    expect(program.cloud.find("aws:eks/nodeGroup:NodeGroup")).toHaveLength(2);
  });
});

describeLanguage("python")("the package schema", () => {
  test("is one that the CLI accepts, and that it generates SDKs from", async () => {
    const { context } = await openProgram("examples/yaml");
    expect(await runCommand(context, ["schema", "check", `${providerFolder}/schema.json`])).toBe("");
    const languages = ["go", "nodejs", "python"];
    for (const language of languages) {
      await runCommand(context, ["package", "gen-sdk", providerFolder, "--language", language, "--out", "sdk"]);
    }
    expect(readdirSync(join(context.cwd, "sdk")).sort()).toEqual(languages);
  });
});
