import { expect, test } from "vitest";
import type { Outcome } from "../../simulation/pulumi/outcome";
import { laterAmiRelease } from "../simulation/aws/eks/foundation";
import { errorsOf, describeEngine, failing, ownAddress, sharedWorkspace, succeeding } from "./support/engine";
import { stopAtDelete } from "./support/intercept";
import { existing, expectNoOrphan, managed } from "./support/cloud-and-state";

const subnet = "aws:ec2/subnet:Subnet";
const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const cluster = "aws:eks/cluster:Cluster";

const throttled = "ThrottlingException: Rate exceeded";
/** The requests of one operation: the first one, and the retries of the provider. */
const attempts = 26;
const newerAmi = [ownAddress, `systemNodes.releaseVersion=${laterAmiRelease}`];

/** The changes of a run with their results, e.g. `update gpu-lab-system failed`. */
function stepsOf({ steps }: Outcome, type: string): string[] {
  return steps
    .filter((step) => step.type === type && step.op !== "same")
    .map(({ op, name, failed }) => `${op} ${name}${failed ? " failed" : ""}`)
    .sort();
}

// All tests use one stack. Each test continues where the previous one ended.
describeEngine("failing AWS requests", () => {
  const shared = sharedWorkspace();

  test("creates that stay throttled fail the update, and the next update repeats only them", async () => {
    const { cloud } = shared.current;
    cloud.faults.add({ operation: "create", type: subnet, effect: "throttle", nth: 3, times: 2 * attempts });
    const first = await failing(shared.current.up({ continueOnError: true }));
    expect(errorsOf(first)).toContain(throttled);
    const failed = stepsOf(first, subnet).filter((step) => step.endsWith("failed"));
    expect(failed).toHaveLength(2);
    expect(cloud.find(subnet)).toHaveLength(stepsOf(first, subnet).length - 2);
    expect(cloud.faults.pending).toEqual([]);
    await expectNoOrphan(shared.current);

    const second = await succeeding(shared.current.up());
    expect(stepsOf(second, subnet)).toEqual(failed.map((step) => step.replace(" failed", "")));
    await expectNoOrphan(shared.current);
  });

  test("an update that times out is repeated by the next update", async () => {
    const { cloud } = shared.current;
    cloud.faults.add({ operation: "update", type: nodeGroup, effect: "time-out" });
    shared.current.configure(newerAmi);
    const first = await failing(shared.current.up());
    expect(errorsOf(first)).toContain(`timeout while waiting for update of ${nodeGroup} to finish`);
    await expectNoOrphan(shared.current);

    const second = await succeeding(shared.current.up());
    expect(stepsOf(second, nodeGroup)).toEqual(["update gpu-lab-system"]);
    await expectNoOrphan(shared.current);
  });

  test("a read that stays throttled fails a refresh, and changes neither state nor cloud", async () => {
    const { cloud } = shared.current;
    const before = await managed(shared.current);
    cloud.faults.add({ operation: "read", type: nodeGroup, effect: "throttle", nth: 2, times: attempts });
    expect(errorsOf(await failing(shared.current.refresh()))).toContain(throttled);
    expect(cloud.faults.pending).toEqual([]);
    expect(await managed(shared.current)).toEqual(before);
    await succeeding(shared.current.preview({ refresh: true, expectNoChanges: true }));
  });

  test("a delete that stays throttled fails a destroy, and the cluster and its dependencies stay in the state and in the cloud", async () => {
    const { cloud } = shared.current;
    cloud.faults.add({ operation: "delete", type: cluster, effect: "throttle", times: attempts });
    expect(errorsOf(await failing(shared.current.destroy()))).toContain(throttled);
    expect(cloud.find(cluster)).toHaveLength(1);
    expect(cloud.find(subnet)).not.toEqual([]);
    expect(cloud.find(nodeGroup)).toEqual([]);
    await expectNoOrphan(shared.current);
  });

  test("after a destroy was killed, the next destroy removes everything", async () => {
    const { cloud } = shared.current;
    const stop = stopAtDelete(cloud, cluster, "after");
    const run = shared.current.start("destroy");
    const early = await Promise.race([stop.reached, run.outcome]);
    expect(early && errorsOf(early)).toBeUndefined();
    run.kill("SIGKILL");
    expect((await run.outcome).status).toBeUndefined();
    stop.restore();
    expect(existing(shared.current)).not.toContain(`${cluster} myeks`);
    expect(await managed(shared.current)).toContain(`${cluster} myeks`);
    await shared.current.cancel();

    const destroy = await succeeding(shared.current.destroy());
    expect(stepsOf(destroy, cluster)).toEqual(["delete gpu-lab-cluster-eksCluster"]);
    expect(cloud.objects).toEqual([]);
    expect((await shared.current.exportState()).deployment.resources ?? []).toEqual([]);
  });
});
