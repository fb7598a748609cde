import { expect, test } from "vitest";
import { withAdoptions } from "../../commands/leftovers/adopt";
import { readState } from "../../commands/stack/state";
import { types } from "../../simulation/aws/types";
import type { ExportedStack } from "../support/test-workspace";
import { runPlan } from "../support/cli";
import { cloudChanges, describeEngine, errorsOf, failing, ownAddress, succeeding } from "./support/engine";
import { expectNoOrphan } from "./support/cloud-and-state";
import { gpuNodes, scaleGpuNodes } from "./support/gpu-nodes";
import { stopAt } from "./support/intercept";
import { sharedMonth } from "./support/month";
import { newerChart, newerImages, nextKubernetes } from "./support/versions";
import { seoulUsd } from "../support/prices";

interface Rates {
  readonly atRest: number;
  readonly perNode: number;
}

/** What `plan` says that a configuration costs per hour. */
async function ratesOf(...config: readonly string[]): Promise<Rates> {
  const { out } = await runPlan(["--stack", "gpu-lab", "--json", ...config.flatMap((entry) => ["--config", entry])]);
  const { cost } = JSON.parse(out) as {
    cost: { atRest: { usdPerHour: number; complete: boolean }; gpuGroups: { usdPerNodeHour: number }[] };
  };
  expect(cost.atRest.complete).toBe(true);
  return { atRest: cost.atRest.usdPerHour, perNode: cost.gpuGroups[0]?.usdPerNodeHour ?? NaN };
}

const operator = "gpuOperator.enabled=true";
const upgradedChart = [operator, ...newerChart];
const latest = [...upgradedChart, ...nextKubernetes];

/** The names of the schedules that ran. */
const names = (runs: readonly { schedule: string }[]) => runs.map(({ schedule }) => schedule.split("/").at(-1));

// The life of one environment for a month, as a user lives it: sessions and forgotten sessions, changes, kills, drift, an
// upgrade, and the end. Each step continues where the previous one ended. The date of the simulated account moves, and its
// schedules run.
describeEngine("a month of gpu-lab", () => {
  const shared = sharedMonth();
  let rates: Rates;
  /** What the plans of the tool say the month costs: node hours of sessions come on top of the hours at rest. */
  let predicted = 0;
  const session = (nodes: number, hours: number, { perNode } = rates) => (predicted += nodes * hours * perNode);

  test("1. the plan states what an hour costs, at rest and with a GPU node", async () => {
    rates = await ratesOf();
    expect(rates.perNode).toBeGreaterThan(rates.atRest);
  });

  test("2. a preview of the empty account creates the environment", async () => {
    const preview = await succeeding(shared.current.workspace.preview());
    expect(cloudChanges(preview)).toContain("create NodeGroup gpu-lab-gpu");
    expect(shared.current.cloud.objects).toEqual([]);
  });

  test("3. day 1, 9:00: the first update", async () => {
    shared.current.at(1, "9:00");
    expect(shared.current.bill.usd).toBe(0);
    await shared.current.up();
    expect(shared.current.running()).toBe(0);
  });

  test("4. the next preview has no changes", async () => {
    await succeeding(shared.current.workspace.preview({ expectNoChanges: true }));
  });

  test("5. the status shows an idle group and its lease", async () => {
    const { status, out } = await shared.current.gpu("status");
    expect([status, out]).toEqual([0, expect.stringContaining("every day at 22:00 Asia/Seoul")]);
    expect(out).toContain("instances  none");
  });

  test("6. day 1, 10:00: a session starts, and its end is scheduled", async () => {
    shared.current.at(1, "10:00");
    const { status, out, err } = await shared.current.gpu("up", "1");
    expect([status, shared.current.running()], err).toEqual([0, 1]);
    expect(out).toContain("at the latest at ");
  });

  test("7. day 1, 12:00: the status shows what two hours have cost", async () => {
    shared.current.at(1, "12:00");
    const { out } = await shared.current.gpu("status", "--json");
    const { cost } = JSON.parse(out) as { cost: { soFar: { usd: number } } };
    expect(cost.soFar.usd).toBeCloseTo(2 * seoulUsd("g5.xlarge"), 1);
  });

  test("8. day 1, 13:00: the session ends, and nothing is scheduled for it", async () => {
    shared.current.at(1, "13:00");
    expect((await shared.current.gpu("down")).status).toBe(0);
    session(1, 3);
    expect(names(shared.current.at(2, "9:00"))).toEqual(["nightly-gpu"]);
  });

  test("9. day 2: a forgotten session of two nodes ends after six hours", async () => {
    expect((await shared.current.gpu("up", "2")).status).toBe(0);
    expect([names(shared.current.at(2, "15:02")), shared.current.running()]).toEqual([["session-gpu"], 0]);
    session(2, 6);
  });

  test("10. day 3: a session that is forgotten in the evening ends at 22:00", async () => {
    shared.current.at(3, "19:00");
    expect((await shared.current.gpu("up", "1")).status).toBe(0);
    expect([names(shared.current.at(3, "22:00")), shared.current.running()]).toEqual([["nightly-gpu"], 0]);
    session(1, 3);
    expect(names(shared.current.at(4, "9:00"))).toEqual(["session-gpu"]);
  });

  test("11. sessions and their ends are no drift", async () => {
    await succeeding(shared.current.workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("12. day 5: a limit of nodes above the quota is refused, and set in place with more quota", async () => {
    const { workspace, cloud } = shared.current;
    shared.current.at(5, "9:00");
    workspace.configure([ownAddress, "gpuNodes.maxSize=3"]);
    expect(errorsOf(await failing(workspace.preview()))).toContain("The account's quota L-DB2E81BA is 8 vCPU.");
    cloud.account.gpuVcpuQuota = 16;
    expect(cloudChanges(await succeeding(workspace.up()))).toContain(
      "update NodeGroup gpu-lab-gpu: scalingConfig.maxSize",
    );
  });

  test("13. when another team uses that quota, a session says so", async () => {
    const { cloud } = shared.current;
    cloud.account.gpuVcpuQuota = 8;
    const { status, out } = await shared.current.gpu("up", "3", "--json");
    cloud.account.gpuVcpuQuota = 16;
    expect([status, JSON.parse(out)]).toEqual([2, expect.objectContaining({ outcome: "refused", requested: null })]);
    expect(out).toContain("The account's quota L-DB2E81BA is 8 vCPU.");
    expect(shared.current.running()).toBe(0);
  });

  test("14. day 6: three nodes run for two hours", async () => {
    shared.current.at(6, "10:00");
    expect((await shared.current.gpu("up", "3")).status).toBe(0);
    shared.current.at(6, "12:00");
    expect((await shared.current.gpu("down")).status).toBe(0);
    session(3, 2);
  });

  test("15. another block of the VPC is refused, and changes nothing", async () => {
    const { workspace } = shared.current;
    workspace.configure([ownAddress, "network.cidr=10.20.0.0/16"]);
    for (const run of [() => workspace.preview(), () => workspace.up()]) {
      expect(errorsOf(await failing(run()))).toContain('network.cidr: got "10.20.0.0/16".');
    }
  });

  test("16. another name of the cluster is refused", async () => {
    const { workspace } = shared.current;
    workspace.configure([ownAddress, "clusterName=other"]);
    expect(errorsOf(await failing(workspace.preview()))).toContain('clusterName: got "other".');
  });

  test("17. day 7: back to the old limit, with a new address", async () => {
    shared.current.at(7, "9:00");
    const { workspace } = shared.current;
    workspace.configure([`publicAccessCidrs=["9.9.9.9/32"]`]);
    const moved = cloudChanges(await succeeding(workspace.up()));
    expect(moved).toContainEqual(expect.stringMatching(/^update Cluster .*: vpcConfig\.publicAccessCidrs/));
    await shared.current.up();
  });

  test("18. day 8: another instance type replaces the idle group", async () => {
    shared.current.at(8, "9:00");
    const type = "gpuNodes.instanceType=g6.xlarge";
    expect(cloudChanges(await shared.current.up(type))).toContain("replace NodeGroup gpu-lab-gpu");
    await expectNoOrphan(shared.current.workspace);
    expect((await ratesOf(type)).perNode).toBeLessThan(rates.perNode);
  });

  test("19. a session on the other type costs what its plan says", async () => {
    const other = await ratesOf("gpuNodes.instanceType=g6.xlarge");
    expect((await shared.current.gpu("up", "1")).status).toBe(0);
    shared.current.at(8, "11:00");
    expect((await shared.current.gpu("down")).status).toBe(0);
    session(1, 2, other);
  });

  test("20. day 9: killed while it goes back, and AWS has a group that the state does not know", async () => {
    const { workspace, cloud } = shared.current;
    shared.current.at(9, "9:00");
    workspace.configure([ownAddress]);
    const stop = stopAt(cloud, types.nodeGroup, "after");
    const run = workspace.start("up", { parallel: 1 });
    await stop.reached;
    run.kill("SIGKILL");
    await run.outcome;
    stop.restore();
    expect(cloud.find(types.nodeGroup).length).toBe(3);
    expect((await failing(workspace.up())).cliOutput).toContain("the stack is currently locked");
  });

  test("21. cancel, adoption and update continue: nothing exists twice", async () => {
    const { workspace, cloud } = shared.current;
    await workspace.cancel();
    const exported = await workspace.exportState();
    const adopt = (readState(exported)?.pending ?? []).map((resource) => {
      const created = cloud.find(types.nodeGroup).find(({ id }) => !readState(exported)?.ids.has(id));
      return { resource, id: created?.id ?? "" };
    });
    await workspace.importState(withAdoptions(exported, { adopt }) as unknown as ExportedStack);
    await succeeding(workspace.up({ refresh: true }));
    expect(cloud.find(types.nodeGroup).length).toBe(2);
    await expectNoOrphan(workspace);
    await succeeding(workspace.preview({ expectNoChanges: true }));
  });

  test("22. day 10: Ctrl-C while a session waits for capacity: the node comes later, and the lease ends it", async () => {
    const { cloud } = shared.current;
    shared.current.at(10, "9:00");
    cloud.account.soldOut = ["g5.xlarge"];
    const waiting = shared.current.gpuInterrupted("instances running: 0 of 1", "up", "1");
    const { status, out } = await waiting.finally(() => (cloud.account.soldOut = []));
    expect([status, out]).toEqual([1, expect.stringMatching(/interrupted/i)]);
    scaleGpuNodes(cloud, 1);
    expect([names(shared.current.at(10, "15:02")), shared.current.running()]).toEqual([["session-gpu"], 0]);
    session(1, 6);
  });

  test("23. day 11: the GPU Operator is installed", async () => {
    shared.current.at(11, "9:00");
    expect(cloudChanges(await shared.current.up(operator))).toContain("create Release gpu-lab-gpu-operator");
  });

  test("24. a release that fails is repeated by the next update", async () => {
    const { workspace, cloud } = shared.current;
    cloud.faults.add({ operation: "update", type: "kubernetes:helm.sh/v3:Release", effect: "time-out" });
    workspace.configure([ownAddress, ...upgradedChart]);
    await failing(workspace.up());
    await succeeding(workspace.up());
    await succeeding(workspace.preview({ expectNoChanges: true }));
  });

  test("25. day 12: newer images update both groups in place", async () => {
    shared.current.at(12, "9:00");
    expect(cloudChanges(await shared.current.up(...upgradedChart, ...newerImages))).toEqual([
      "update NodeGroup gpu-lab-gpu: releaseVersion",
      "update NodeGroup gpu-lab-system: releaseVersion",
    ]);
  });

  test("26. day 13: the next Kubernetes version replaces nothing", async () => {
    shared.current.at(13, "9:00");
    const changes = cloudChanges(await shared.current.up(...latest));
    expect(changes).toContain("update Cluster gpu-lab-cluster-eksCluster: version");
    expect(changes.filter((change) => !change.startsWith("update "))).toEqual([]);
  });

  test("27. a session after the upgrade", async () => {
    expect((await shared.current.gpu("up", "2")).status).toBe(0);
    shared.current.at(13, "12:00");
    expect((await shared.current.gpu("down")).status).toBe(0);
    session(2, 3);
    await succeeding(shared.current.workspace.preview({ expectNoChanges: true, refresh: true }));
  });

  test("28. day 14: sizes that somebody sets in the console end at night, too", () => {
    const { cloud } = shared.current;
    shared.current.at(14, "20:00");
    const group = gpuNodes(cloud);
    cloud.drift(group.type, group.id, { scalingConfig: { minSize: 1, maxSize: 2, desiredSize: 1 } });
    scaleGpuNodes(cloud, 1);
    expect([names(shared.current.at(15, "8:00")), shared.current.running()]).toEqual([["nightly-gpu"], 0]);
    session(1, 2);
  });

  test("29. day 15: a rule that somebody widens in the console is repaired", async () => {
    const { workspace, cloud } = shared.current;
    const kubelet = cloud.find(types.ingressRule).find(({ inputs }) => inputs["fromPort"] === 10250);
    cloud.drift(types.ingressRule, kubelet?.id ?? "", { fromPort: 0, toPort: 65535 });
    await succeeding(workspace.preview({ expectNoChanges: true }));
    const repair = ["update SecurityGroupIngressRule gpu-lab-firewall-node-control-plane-10250: fromPort, toPort"];
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toEqual(repair);
  });

  test("30. day 16: schedules that somebody deletes are created again", async () => {
    const { workspace, cloud } = shared.current;
    shared.current.at(16, "9:00");
    const [group] = cloud.find(types.scheduleGroup);
    cloud.remove(types.scheduleGroup, group?.id ?? "");
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toContain(
      "create Schedule gpu-lab-lease-nightly-gpu",
    );
    await expectNoOrphan(workspace);
  });

  test("31. day 17: without its permission, the lease ends nothing, and its queue has the request", async () => {
    const { cloud } = shared.current;
    shared.current.at(17, "20:00");
    const policy = cloud.find(types.rolePolicy).find(({ inputs }) => String(inputs["policy"]).includes("EndNodes"));
    cloud.remove(types.rolePolicy, policy?.id ?? "");
    expect((await shared.current.gpu("up", "1")).status).toBe(0);
    const runs = shared.current.at(18, "9:00");
    expect([names(runs), shared.current.running()]).toEqual([["nightly-gpu", "session-gpu"], 1]);
    expect(runs[0]?.error).toContain("is not authorized to perform: eks:UpdateNodegroupConfig");
    session(1, 13);
  });

  test("32. day 18: a refresh repairs it, and the next night ends the node", async () => {
    const { workspace } = shared.current;
    expect(cloudChanges(await succeeding(workspace.up({ refresh: true })))).toEqual([
      "create RolePolicy gpu-lab-lease-policy",
    ]);
    expect([names(shared.current.at(18, "22:00")), shared.current.running()]).toEqual([["nightly-gpu"], 0]);
    session(1, 13);
  });

  test("33. day 19: a provider that crashes leaves a group that the state does not know", async () => {
    const { workspace, cloud } = shared.current;
    shared.current.at(19, "9:00");
    cloud.faults.add({ operation: "create", type: types.nodeGroup, effect: "crash" });
    workspace.configure([ownAddress, ...latest, "gpuNodes.instanceType=g6.xlarge"]);
    await failing(workspace.up());
    await workspace.restartProviders();
    expect(cloud.find(types.nodeGroup).length).toBe(3);
  });

  test("34. without adoption, the next update creates another group, and the preview warns about the first", async () => {
    const { workspace, cloud } = shared.current;
    const known = readState(await workspace.exportState())?.ids;
    const stray = cloud.find(types.nodeGroup).find(({ id }) => known?.has(id) === false);
    await succeeding(workspace.up());
    const { diagnostics } = await succeeding(workspace.preview());
    const [, name = ""] = (stray?.id ?? "").split(":");
    expect(diagnostics.map(({ message }) => message).join("\n")).toContain(
      `the cluster has 2 node groups of this kind: `,
    );
    expect(diagnostics.map(({ message }) => message).join("\n")).toContain(name);
    await cloud.delete(types.nodeGroup, stray?.id ?? "");
    await expectNoOrphan(workspace);
  });

  test("35. day 20: back to the first type", async () => {
    shared.current.at(20, "9:00");
    await shared.current.up(...latest);
    await expectNoOrphan(shared.current.workspace);
  });

  test("36. day 21: the lab gets an end: day 25", async () => {
    shared.current.at(21, "9:00");
    const up = await shared.current.up(...latest, `lease.expiresAt=${shared.current.day(25)}`);
    expect(cloudChanges(up)).toContain("create Schedule gpu-lab-lease-end-gpu");
  });

  test("37. a session before the end", async () => {
    shared.current.at(24, "9:00");
    expect((await shared.current.gpu("up", "2")).status).toBe(0);
    shared.current.at(24, "10:30");
    expect((await shared.current.gpu("down")).status).toBe(0);
    session(2, 1.5);
  });

  test("38. day 26, 8:00 to 9:00: the end of the lease ends a session", async () => {
    shared.current.at(26, "8:00");
    expect((await shared.current.gpu("up", "1")).status).toBe(0);
    expect([names(shared.current.at(26, "9:30")), shared.current.running()]).toEqual([["end-gpu"], 0]);
    session(1, 1);
  });

  test("39. day 28: no session without a new end of the lease, and a destroy during a session leaves nothing", async () => {
    shared.current.at(28, "10:00");
    expect((await shared.current.gpu("status")).out).toMatch(/^ {2}ended .*, 2d1h ago: gpu up does not start a node/m);
    const ended = await shared.current.gpu("up", "2");
    expect([ended.status, shared.current.running()]).toEqual([2, 0]);
    await shared.current.up(...latest, `lease.expiresAt=${shared.current.day(31)}`);
    expect((await shared.current.gpu("up", "2")).status).toBe(0);
    shared.current.at(28, "12:00");
    await succeeding(shared.current.workspace.destroy());
    session(2, 2);
    predicted += (27 * 24 + 3) * rates.atRest;
    expect(shared.current.cloud.objects).toEqual([]);
  });

  test("40. day 31: the bill is the one that the plans predicted", () => {
    const { usd } = shared.current.bill;
    expect(shared.current.at(31, "0:00")).toEqual([]);
    expect(shared.current.bill.usd).toBe(usd);
    const both = `billed ${usd.toFixed(2)} USD, predicted ${predicted.toFixed(2)} USD`;
    expect(Math.abs(usd / predicted - 1), both).toBeLessThan(0.001);
  });
});
