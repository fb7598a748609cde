import { expect, test } from "vitest";
import { changesOf } from "../../simulation/pulumi/outcome";
import { CloudError, IncompleteError } from "../../simulation/cloud/errors";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { describeEngine, everything, openWorkspace, succeeding } from "./support/engine";
import { interceptCreates, type Create } from "./support/intercept";
import { existing, expectNoOrphan } from "./support/cloud-and-state";

/** From how many seconds on a create may time out. */
const long = 30;

/** What is made at once is refused; what takes its time is made, and called a failure before it is ready. */
function failure(cloud: SimulatedCloud, create: Create): Create {
  return async (type, inputs, provider) => {
    if ((cloud.modelOf(type).seconds?.create ?? 0) < long)
      throw new CloudError("InternalFailure", `no ${type} for now`);
    const { id } = await create(type, inputs, provider);
    throw new IncompleteError(id, `timeout while waiting for ${type}`);
  };
}

/** Fails each create once, the first time that it is asked for, and notes it. */
function failingEachOnce(cloud: SimulatedCloud, failed: Map<string, string>) {
  return (create: Create): Create =>
    (type, inputs, provider) => {
      // Pulumi ends a name of its own making anew with each attempt.
      const request = `${type} ${JSON.stringify(inputs).replace(/-[0-9a-f]{7}"/g, '-"')}`;
      if (failed.has(request)) return create(type, inputs, provider);
      failed.set(request, type);
      return failure(cloud, create)(type, inputs, provider);
    };
}

describeEngine("every create of the whole environment fails once", () => {
  // Each update goes as far as it can, so that all creates whose turn has come fail in the same one: as many updates as
  // the longest chain of dependencies has links, and not one for each of the hundred creates.
  test("and each update goes on where the one before stopped, to no orphan and no duplicate", async () => {
    const workspace = await openWorkspace({ config: everything });
    const { cloud } = workspace;
    const planned = changesOf(await succeeding(workspace.preview())).filter(({ custom }) => custom);
    const failed = new Map<string, string>();
    interceptCreates(cloud, failingEachOnce(cloud, failed));
    for (let done = false; !done;) {
      const before = failed.size + existing(workspace).length;
      const { status, diagnostics } = await workspace.up({ continueOnError: true });
      done = status === 0;
      const progress = failed.size + existing(workspace).length - before;
      expect(done || progress > 0, diagnostics.map(({ message }) => message).join("\n")).toBe(true);
    }
    const objects = planned.map(({ type }) => type).filter((type) => !type.startsWith("pulumi:"));
    expect([...failed.values()].sort()).toEqual(objects.sort());
    await expectNoOrphan(workspace);
    await succeeding(workspace.preview({ expectNoChanges: true, refresh: true }));
    await succeeding(workspace.destroy());
    expect(cloud.objects).toEqual([]);
  });
});
