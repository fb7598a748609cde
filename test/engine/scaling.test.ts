import { expect, test } from "vitest";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { cloudChanges, describeEngine, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { gpuNodes } from "./support/gpu-nodes";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";

/** As `aws eks update-nodegroup-config` does. */
async function scale(cloud: SimulatedCloud, desiredSize: number): Promise<void> {
  const { id, inputs } = gpuNodes(cloud);
  await cloud.update(nodeGroup, id, { ...inputs, scalingConfig: { minSize: 0, maxSize: 2, desiredSize } });
}

describeEngine("GPU nodes scaled outside of Pulumi", () => {
  const shared = sharedWorkspace();

  test("owner session, the default: no update removes the nodes", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    await scale(workspace.cloud, 2);
    await succeeding(workspace.preview({ expectNoChanges: true }));
    expect(cloudChanges(await succeeding(workspace.preview({ refresh: true })))).toEqual([]);
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toEqual([]);
    expect(gpuNodes(workspace.cloud).inputs["scalingConfig"]).toMatchObject({ desiredSize: 2 });
  });

  test("owner pulumi: the next update with a refresh removes them", async () => {
    const workspace = shared.current;
    const change = "update NodeGroup gpu-lab-gpu: scalingConfig.desiredSize";
    workspace.configure([ownAddress, "gpuNodes.owner=pulumi"]);
    expect(cloudChanges(await succeeding(workspace.preview({ refresh: true })))).toEqual([change]);
    await succeeding(workspace.refresh());
    expect(cloudChanges(await succeeding(workspace.preview()))).toEqual([change]);
    await succeeding(workspace.up());
    expect(gpuNodes(workspace.cloud).inputs["scalingConfig"]).toMatchObject({ desiredSize: 0 });
    await succeeding(workspace.preview({ refresh: true, expectNoChanges: true }));
  });
});
