import { expect, test } from "vitest";
import { createCloud } from "../../simulation/create-cloud";
import type { TestWorkspace } from "../support/test-workspace";
import {
  cloudChanges,
  describeEngine,
  errorsOf,
  failing,
  openWorkspace,
  ownAddress,
  sharedWorkspace,
  succeeding,
} from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";

/** The stack with the credentials of another account, or in another region: nothing of it exists there. */
async function elsewhere(
  stack: TestWorkspace,
  account: Partial<ReturnType<typeof createCloud>["account"]>,
  config: readonly string[] = [],
): Promise<TestWorkspace> {
  const other = await openWorkspace({
    config: [ownAddress, ...config],
    cloud: () => createCloud({ account }),
  });
  await other.importState(await stack.exportState());
  return other;
}

const otherAccount = { accountId: "999999999999" };
const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];

// Each test continues where the previous one ended.
describeEngine("an environment and the wrong account or region", () => {
  const shared = sharedWorkspace();

  test("another aws:profile is refused, in a preview and in an update, and names the account", async () => {
    await succeeding(shared.current.up());
    const other = await elsewhere(shared.current, otherAccount, ["aws:profile=wrong"]);
    for (const refresh of [false, true]) {
      for (const run of [() => other.preview({ refresh }), () => other.up({ refresh })]) {
        const errors = errorsOf(await failing(run()));
        expect(errors).toContain(
          'the AWS account: got "999999999999". The cluster myeks of this stack is in account 123456789012.',
        );
      }
    }
    expect(other.cloud.objects).toEqual([]);
  });

  test("another aws:region is refused", async () => {
    const other = await elsewhere(shared.current, { region: "us-east-1", zones }, ["aws:region=us-east-1"]);
    expect(errorsOf(await failing(other.preview()))).toContain('aws:region: got "us-east-1".');
  });

  test("a state that a refresh emptied is restored with a former version of it", async () => {
    const { current } = shared;
    const before = await current.exportState();
    const other = await elsewhere(current, otherAccount);
    await failing(other.up({ refresh: true }));
    const emptied = await other.exportState();
    expect(emptied.deployment.resources?.length).toBeLessThan((before.deployment.resources?.length ?? 0) / 2);
    await current.importState(emptied);
    await current.importState(before);
    await succeeding(current.preview({ expectNoChanges: true, refresh: true }));
  });

  test("aws:allowedAccountIds stops a refresh before it forgets anything", async () => {
    const { current } = shared;
    const allowed = [`aws:allowedAccountIds=["123456789012"]`];
    current.configure([ownAddress, ...allowed]);
    await succeeding(current.up());
    const before = await current.exportState();
    const other = await elsewhere(current, otherAccount, allowed);
    for (const run of [() => other.up({ refresh: true }), () => other.refresh(), () => other.destroy()]) {
      expect(errorsOf(await failing(run()))).toContain("AWS account ID not allowed: 999999999999");
      expect((await other.exportState()).deployment.resources?.length).toBe(before.deployment.resources?.length);
    }
  });

  test("an environment that was deleted outside of Pulumi is created again once that is confirmed", async () => {
    const gone = await elsewhere(shared.current, {});
    const errors = errorsOf(await failing(gone.preview()));
    expect(errors).toContain("The cluster myeks of this stack is not in account 123456789012, region ap-northeast-2");
    gone.configure([ownAddress, "confirm.replaceCluster=myeks"]);
    expect(cloudChanges(await succeeding(gone.up({ refresh: true }))).length).toBeGreaterThan(90);
    expect(errorsOf(await failing(gone.preview()))).toContain("confirm.replaceCluster: got");
    gone.configure([ownAddress]);
    await succeeding(gone.preview({ expectNoChanges: true }));
    await expectNoOrphan(gone);
  });

  test("a destroy needs no confirmation, and the stack can be created again", async () => {
    const gone = await elsewhere(shared.current, {});
    await succeeding(gone.destroy());
    await succeeding(gone.up());
    await succeeding(shared.current.destroy());
    expect(shared.current.cloud.objects).toEqual([]);
  });
});
