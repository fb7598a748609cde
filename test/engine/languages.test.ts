import { expect, test } from "vitest";
import { describeEngine, errorsOf, failing, succeeding } from "./support/engine";
import { openProgram } from "./support/program";

const address = { "gpu-lab-yaml:publicAccessCidrs": '["8.8.8.8/32"]' };

describeEngine("a YAML program", () => {
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
    expect(errorsOf(await failing(program.run("up")))).toBe(
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
