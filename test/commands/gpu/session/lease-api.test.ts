import { EKS } from "@aws-sdk/client-eks";
import { Scheduler } from "@aws-sdk/client-scheduler";
import { expect, test, type TestContext } from "vitest";
import { runGpu } from "../../../../commands/gpu/gpu";
import { nightlyExpression, scaleInput, scaleTarget } from "../../../../components/lease/lease-documents";
import { leaseApi } from "../../../../commands/gpu/lease";
import { useAws } from "../../../support/aws-environment";
import { simulator } from "../../../support/aws-simulators";
import { captured } from "../../../support/cli";
import { usePulumi } from "../../../support/fake-pulumi";
import { ownProject } from "../../../support/own-project";

/** The end of a session, in the EventBridge Scheduler of moto. */

const region = "ap-northeast-2";
const role = "arn:aws:iam::123456789012:role/myeks-lease-1";
const queue = "arn:aws:sqs:ap-northeast-2:123456789012:myeks-lease-1";
const moto = simulator("moto", "the end of sessions");

/** The schedules of a lease with two node groups, as a LabLease creates them. */
async function leased(cluster: string, context: TestContext) {
  useAws(moto(context));
  const scheduler = new Scheduler({ region });
  const scheduleGroupName = `${cluster}-lease-1`;
  await scheduler.createScheduleGroup({ Name: scheduleGroupName });
  for (const key of ["cpu", "gpu"]) {
    await scheduler.createSchedule({
      ...{ Name: `nightly-${key}`, GroupName: scheduleGroupName, FlexibleTimeWindow: { Mode: "OFF" } },
      ScheduleExpression: nightlyExpression("22:00"),
      Target: {
        ...{ Arn: scaleTarget("aws"), RoleArn: role, DeadLetterConfig: { Arn: queue } },
        Input: scaleInput({ clusterName: cluster, nodeGroupName: key, maxSize: 2 }),
        RetryPolicy: { MaximumEventAgeInSeconds: 14_400, MaximumRetryAttempts: 185 },
      },
    });
  }
  const names = async () => {
    const { Schedules: found = [] } = await scheduler.listSchedules({ GroupName: scheduleGroupName });
    return found.map(({ Name }) => Name).sort();
  };
  const read = (Name: string) => scheduler.getSchedule({ GroupName: scheduleGroupName, Name });
  const endOf = (group: string) => leaseApi({ region, cluster, group }, scheduleGroupName);
  return { cluster, scheduleGroupName, names, read, endOf };
}

const lease = ["nightly-cpu", "nightly-gpu"];

test("the schedule of a session has the target of the lease, and a later session moves it", async (context) => {
  const { names, read, endOf } = await leased("moved", context);
  const end = endOf("gpu");
  await end.endAt(new Date("2126-12-01T03:00:00Z"));
  await end.endAt(new Date("2126-12-01T05:30:00Z"));
  expect(await names()).toEqual([...lease, "session-gpu"]);
  const [session, nightly] = [await read("session-gpu"), await read("nightly-gpu")];
  expect(session.ScheduleExpression).toBe("at(2126-12-01T05:30:00)");
  expect(session.ScheduleExpressionTimezone).toBe("UTC");
  expect(session.ActionAfterCompletion).toBe("DELETE");
  expect(session.Target).toEqual(nightly.Target);
  expect(session.Target?.Input).toContain('"NodegroupName":"gpu"');
});

test("the end of a session is removed, also if there is none", async (context) => {
  const { names, endOf } = await leased("removed", context);
  const end = endOf("gpu");
  await end.endAt(new Date("2126-12-01T03:00:00Z"));
  await end.cancel();
  await end.cancel();
  expect(await names()).toEqual(lease);
});

test("a node group that the lease does not end is named, with the way out", async (context) => {
  const { scheduleGroupName, cluster, names, endOf } = await leased("other", context);
  const expected = {
    kind: "missing",
    why: "The lease has no schedule for the node group other/infra in ap-northeast-2.",
    fix: "run pulumi up --refresh, which creates the schedules",
  };
  await expect(endOf("infra").endAt(new Date())).rejects.toMatchObject(expected);
  const gone = leaseApi({ region, cluster, group: "infra" }, "gone");
  await expect(gone.endAt(new Date())).rejects.toMatchObject({ ...expected, action: "scheduler:ListSchedules" });
  expect([await names(), scheduleGroupName]).toEqual([lease, "other-lease-1"]);
});

/** A stack in which these are the outputs. */
function stackWith(outputs: object): void {
  usePulumi(`echo '${JSON.stringify(outputs)}'`);
}

test("gpu up sets the end before nodes start, and gpu down removes it", async (context) => {
  const { cluster, scheduleGroupName, names, read } = await leased("cli", context);
  const eks = new EKS({ region });
  const subnetIds = ["subnet-1", "subnet-2"];
  await eks.createCluster({ name: cluster, roleArn: role, resourcesVpcConfig: { subnetIds } });
  await eks.createNodegroup({
    ...{ clusterName: cluster, nodegroupName: "gpu", nodeRole: role, subnets: subnetIds },
    ...{ instanceTypes: ["g5.xlarge"], scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 } },
  });
  const configureKubectl = `aws eks update-kubeconfig --region ${region} --name ${cluster}`;
  const end = { sessionHours: 6, leaseScheduleGroup: scheduleGroupName };
  stackWith({ clusterName: cluster, gpuNodeGroupName: "gpu", configureKubectl, ...end });
  const gpu = (...args: readonly string[]) => captured((console) => runGpu(args, console, { intervalMs: 20 }));

  const dry = await gpu("up", "1", "--dry-run");
  expect(dry.out).toMatch(/until you run gpu down, at the latest at \d{4}-\d\d-\d\dT\d\d:\d\dZ$/m);
  expect(dry.out).toMatch(/^ {2}cost now .*\n {2}next end /m);
  expect(await names()).toEqual(lease);

  // moto starts no instance for a node group.
  const up = await gpu("up", "1", "--timeout", "1", "--json");
  expect(up.status, up.err).toBe(1);
  const { outcome, leaseEnds } = JSON.parse(up.out) as { outcome: string; leaseEnds: { by: string; at: string }[] };
  const endsAt = leaseEnds.find(({ by }) => by === "hours")?.at ?? "";
  expect(outcome).toBe("timeout");
  const hours = (Date.parse(endsAt) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(5.9);
  expect(hours).toBeLessThanOrEqual(6.02);
  expect((await read("session-gpu")).ScheduleExpression).toBe(`at(${endsAt.slice(0, 19)})`);

  const down = await gpu("down");
  expect(down.status, down.err).toBe(0);
  expect(await names()).toEqual(lease);
});

test("without the lease's schedules, gpu up does not start a node", async (context) => {
  const { cluster } = await leased("none", context);
  const eks = new EKS({ region });
  await eks.createCluster({ name: cluster, roleArn: role, resourcesVpcConfig: { subnetIds: ["subnet-1"] } });
  await eks.createNodegroup({
    ...{ clusterName: cluster, nodegroupName: "gpu", nodeRole: role, subnets: ["subnet-1"] },
    scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 },
  });
  const configureKubectl = `aws eks update-kubeconfig --region ${region} --name ${cluster}`;
  const end = { lease: "all GPU nodes are terminated", sessionHours: 6, leaseScheduleGroup: "gone" };
  stackWith({ clusterName: cluster, gpuNodeGroupName: "gpu", configureKubectl, ...end });
  const console = { write: () => undefined, warn: () => undefined, cwd: ownProject, terminal: {} };
  await expect(runGpu(["up", "1"], console)).rejects.toThrow(
    "fix: run pulumi up --refresh, which creates and enables the schedules",
  );
  const { nodegroup } = await eks.describeNodegroup({ clusterName: cluster, nodegroupName: "gpu" });
  expect(nodegroup?.scalingConfig?.desiredSize).toBe(0);
});
