import { expect, test } from "vitest";
import { types } from "../../simulation/aws/types";
import { describeEngine, errorsOf, failing, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { existing, expectNoOrphan } from "./support/cloud-and-state";
import { gpuNodes, scaleGpuNodes } from "./support/gpu-nodes";
import { servePods } from "./support/gpu-pods";

const session = servePods();

// Each test continues where the previous one ended.
describeEngine("deletionProtection during a session", () => {
  const shared = sharedWorkspace({ config: [ownAddress, "deletionProtection=true"] });

  test("a destroy is stopped, with and without the program, and the program names the pod", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    await succeeding(workspace.preview({ expectNoChanges: true }));
    session.connect(workspace.cloud);
    scaleGpuNodes(workspace.cloud, 1);
    const before = existing(workspace);
    const without = errorsOf(await failing(workspace.destroy({ previewFirst: true })));
    expect(without).toContain("Hooks: deletionProtection");
    expect(without).toContain("You must run with the `--run-program` flag");
    const errors = errorsOf(await failing(workspace.destroy({ previewFirst: true, runProgram: true })));
    expect(errors).toContain(
      "1 GPU node would be terminated: ip-1. 1 pod would lose GPUs: team/train-0 (1 GPU of ip-1).",
    );
    expect(errors).toContain("End the session first: npx eks-gpu-lab gpu down --stack gpu-lab");
    expect(existing(workspace)).toEqual(before);
    expect(gpuNodes(workspace.cloud).computed["status"]).toBe("ACTIVE");
  });

  test("after the session, a destroy deletes the nodes, and the cluster stays", async () => {
    const workspace = shared.current;
    session.finish();
    const errors = errorsOf(await failing(workspace.destroy({ previewFirst: true, runProgram: true })));
    expect(errors).toContain("Cluster cannot be deleted while deletion protection is enabled");
    expect(workspace.cloud.find(types.nodeGroup)).toEqual([]);
  });

  test("without deletionProtection, the hook is gone, and a destroy needs no program", async () => {
    const workspace = shared.current;
    workspace.configure([ownAddress]);
    await succeeding(workspace.up());
    await succeeding(workspace.destroy({ previewFirst: true }));
    expect(workspace.cloud.objects).toEqual([]);
  });
});

describeEngine("pulumi import of a node group that runs", () => {
  const shared = sharedWorkspace();

  test("no update deletes it, protected or not, and the problem says how to keep it", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    scaleGpuNodes(workspace.cloud, 1);
    const group = gpuNodes(workspace.cloud);
    const name = String(group.computed["nodeGroupName"]);
    await workspace.importObject(types.nodeGroup, "gpu-lab-gpu", `myeks:${name}`);
    for (const isProtected of [true, false]) {
      if (!isProtected) await workspace.unprotect();
      for (const run of [() => workspace.preview(), () => workspace.up()]) {
        const errors = errorsOf(await failing(run()));
        expect(errors).toContain(
          `a node group in the state: got "urn:pulumi:gpu-lab::eks-gpu-lab::${types.nodeGroup}::gpu-lab-gpu".`,
        );
        expect(errors).toContain("do not unprotect it");
        expect(errors).not.toContain("state unprotect");
      }
    }
    expect(gpuNodes(workspace.cloud)).toEqual(group);
    const { resources = [] } = (await workspace.exportState()).deployment;
    const [stray] = resources.filter(({ urn }) => urn.endsWith(`::${types.nodeGroup}::gpu-lab-gpu`));
    await workspace.forget(stray?.urn ?? "");
    await succeeding(workspace.preview({ expectNoChanges: true }));
    expect(gpuNodes(workspace.cloud)).toEqual(group);
    await expectNoOrphan(workspace);
  });
});
