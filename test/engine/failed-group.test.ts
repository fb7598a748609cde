import { expect, test } from "vitest";
import { types } from "../../simulation/aws/types";
import type { Outcome } from "../../simulation/pulumi/outcome";
import type { TestWorkspace } from "../support/test-workspace";
import { existing, expectNoOrphan } from "./support/cloud-and-state";
import { describeEngine, errorsOf, failing, openWorkspace, ownAddress, succeeding } from "./support/engine";
import { gpuNodes } from "./support/gpu-nodes";

const elsewhere = { type: types.instance, id: "i-elsewhere", inputs: { instanceType: "g5.2xlarge" }, computed: {} };

function warningsOf({ diagnostics }: Outcome): string {
  return diagnostics.flatMap(({ severity, message }) => (severity === "warning" ? [message] : [])).join("\n");
}

/** A stack whose GPU group has failed, because no quota was left for its first node. */
async function withFailedGroup(): Promise<TestWorkspace> {
  const config = [ownAddress, "gpuNodes.owner=pulumi", "gpuNodes.desiredSize=1"];
  const workspace = await openWorkspace({ config });
  workspace.cloud.account.gpuVcpuQuota = 8;
  workspace.cloud.put(elsewhere);
  await failing(workspace.up());
  workspace.cloud.remove(types.instance, elsewhere.id);
  expect(gpuNodes(workspace.cloud).computed["status"]).toBe("CREATE_FAILED");
  return workspace;
}

/** The URN that a message names in `--target-replace`. */
function wayOut(text: string): string {
  return /--target-replace '([^']+)'/.exec(text)?.[1] ?? "";
}

describeEngine("a GPU group whose creation failed", () => {
  test("is refused by each preview and update until the command that they print replaces it", async () => {
    const workspace = await withFailedGroup();
    const preview = await failing(workspace.preview());
    expect(warningsOf(preview)).toContain("gpuNodes: The node group");
    for (let times = 0; times < 2; times++) {
      const up = await failing(workspace.up());
      expect(errorsOf(up)).toContain("gpu-lab-gpu is CREATE_FAILED, and this update would change nothing.");
      expect(wayOut(errorsOf(up))).toMatch(/::gpu-lab-gpu$/);
    }
    const urn = wayOut(warningsOf(preview));
    expect(urn).toBe(wayOut(errorsOf(preview)));
    await succeeding(workspace.up({ targetReplace: [urn] }));
    expect(gpuNodes(workspace.cloud).computed["status"]).toBe("ACTIVE");
    await succeeding(workspace.up());
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
    await expectNoOrphan(workspace);
  });

  test("is named after a refresh that made the engine forget the failure", async () => {
    const workspace = await withFailedGroup();
    const up = await workspace.up({ refresh: true });
    const later = await workspace.preview();
    for (const outcome of [up, later]) expect(wayOut(warningsOf(outcome))).toMatch(/::gpu-lab-gpu$/);
    await succeeding(workspace.destroy());
    expect(existing(workspace)).toEqual([]);
  });
});

describeEngine("a GPU group that is not as the state says", () => {
  test("missing in AWS: the preview names up --refresh, which creates it again", async () => {
    const workspace = await openWorkspace();
    const { cloud } = workspace;
    await succeeding(workspace.up());
    await cloud.delete(types.nodeGroup, gpuNodes(cloud).id);
    const preview = await succeeding(workspace.preview());
    expect(warningsOf(preview)).toMatch(
      /gpuNodes: The node group \S+ is in the state, but does not exist in AWS.*pulumi up --refresh/,
    );
    await succeeding(workspace.up({ refresh: true }));
    expect(gpuNodes(cloud).computed["status"]).toBe("ACTIVE");
    expect(warningsOf(await succeeding(workspace.preview({ expectNoChanges: true })))).not.toContain("gpuNodes");
  });
});
