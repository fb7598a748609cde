import { expect, test } from "vitest";
import type { Fault } from "../../simulation/cloud/faults";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { errorsOf, describeEngine, failing, openWorkspace, ownAddress, succeeding } from "./support/engine";
import { existing, expectNoOrphan } from "./support/cloud-and-state";

const cluster = "aws:eks/cluster:Cluster";
const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const addon = "aws:eks/addon:Addon";
const release = "kubernetes:helm.sh/v3:Release";

/** Long creates time out after the object was created. */
const cases: readonly { readonly what: string; readonly fault: Omit<Fault, "operation">; readonly says: string }[] = [
  { what: "the cluster is late", fault: { type: cluster, effect: "time-out" }, says: "timeout while waiting" },
  { what: "a node group is late", fault: { type: nodeGroup, effect: "time-out" }, says: "timeout while waiting" },
  // The first three do not depend on nodes.
  { what: "an add-on is late", fault: { type: addon, effect: "time-out", nth: 4 }, says: "timeout while waiting" },
  { what: "a release is refused", fault: { type: release, effect: "reject" }, says: "An internal error has occurred" },
];

/** Everything that was ever created, as `type id`. */
function made({ history }: SimulatedCloud): string[] {
  return history
    .filter(({ operation }) => operation === "create")
    .map(({ type, id }) => `${type} ${id}`)
    .sort();
}

describeEngine("a create that fails and stops the update", () => {
  test.for(cases)("$what: another update completes it without duplicates", async ({ fault, says }) => {
    const workspace = await openWorkspace({ config: [ownAddress, "gpuOperator.enabled=true"] });
    const { cloud } = workspace;
    cloud.faults.add({ operation: "create", ...fault });
    const first = await failing(workspace.up());
    expect(errorsOf(first)).toContain(says);
    expect(first.steps.filter(({ failed }) => failed).map(({ type }) => type)).toEqual([fault.type]);
    await expectNoOrphan(workspace);

    await succeeding(workspace.up());
    await expectNoOrphan(workspace);
    expect(made(cloud)).toEqual(existing(workspace));
  });
});
