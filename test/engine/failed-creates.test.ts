import { expect, test } from "vitest";
import { changesOf } from "../../simulation/pulumi/outcome";
import { CloudError, IncompleteError } from "../../simulation/cloud/errors";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { describeEngine, everything, openWorkspace, succeeding } from "./support/engine";
import { interceptCreates, type Create } from "./support/intercept";
import { existing, expectNoOrphan } from "./support/cloud-and-state";

/** Creates of at least this duration in seconds can time out. */
const long = 30;

/** Short creates are rejected; long ones time out. */
function failure(cloud: SimulatedCloud, create: Create): Create {
  return async (type, inputs, provider) => {
    if ((cloud.modelOf(type).seconds?.create ?? 0) < long)
      throw new CloudError("InternalFailure", `no ${type} for now`);
    const { id } = await create(type, inputs, provider);
    throw new IncompleteError(id, `timeout while waiting for ${type}`);
  };
}

/** Fails the first attempt of each create, and records it. */
function failingEachOnce(cloud: SimulatedCloud, failed: Map<string, string>) {
  return (create: Create): Create =>
    (type, inputs, provider) => {
      // Pulumi appends another random suffix with each attempt.
      const request = `${type} ${JSON.stringify(inputs).replace(/-[0-9a-f]{7}"/g, '-"')}`;
      if (failed.has(request)) return create(type, inputs, provider);
      failed.set(request, type);
      return failure(cloud, create)(type, inputs, provider);
    };
}

describeEngine("every create of the whole environment fails once", () => {
  // Each update continues on errors, so that all creates without pending dependencies fail in the same update. This takes as
  // many updates as the longest chain of dependencies has links.
  test("each update continues where the previous one stopped, without orphans and duplicates", async () => {
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
