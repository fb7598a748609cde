import { expect, test } from "vitest";
import { leasePermissions, nodeGroupArn, scaleInput, scaleTarget } from "../../../components/lease/lease-documents";
import { instancesOf, scaleGroup } from "../../../simulation/aws/eks/nodes/instances";
import { scalingConfigOf } from "../../../simulation/aws/eks/nodes/node-group-rules";
import { passTime } from "../../../simulation/aws/schedule-runs";
import { types } from "../../../simulation/aws/types";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { foundation, makeCluster, makeGroup } from "./eks/foundation";
import { schedulerTrust } from "./support";

const hour = 60 * 60 * 1000;
const place = { partition: "aws", region: "ap-northeast-2", accountId: "123456789012" };

/** A running group of one node, a role that may end it, and a queue for what fails. */
async function leased() {
  const cloud = foundation();
  await makeCluster(cloud);
  const { id } = await makeGroup(cloud, { scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 } });
  const group = () => cloud.get(types.nodeGroup, id) as CloudObject;
  scaleGroup(cloud, group(), { ...scalingConfigOf(group().inputs), desiredSize: 1 });
  const name = {
    clusterName: "lab",
    nodeGroupName: String(group().computed["nodeGroupName"] ?? group().inputs["nodeGroupName"]),
  };
  const queue = await cloud.create(types.queue, { name: "failures", messageRetentionSeconds: 60 });
  const role = await cloud.create(types.role, { name: "lease", assumeRolePolicy: schedulerTrust });
  const allow = (arn: string) =>
    cloud.create(types.rolePolicy, {
      role: "lease",
      name: "lease",
      policy: JSON.stringify(leasePermissions([arn], String(queue.computed["arn"]))),
    });
  await allow(nodeGroupArn(place, name));
  const schedule = (scheduleName: string, scheduleExpression: string, more: object = {}) =>
    cloud.create(types.schedule, {
      name: scheduleName,
      flexibleTimeWindow: { mode: "OFF" },
      scheduleExpression,
      scheduleExpressionTimezone: "Asia/Seoul",
      target: {
        arn: scaleTarget("aws"),
        roleArn: role.computed["arn"],
        input: scaleInput({ ...name, maxSize: 2 }),
        deadLetterConfig: { arn: queue.computed["arn"] },
      },
      ...more,
    });
  const running = () => instancesOf(cloud, group()).length;
  return { cloud, group, queue, allow, schedule, running };
}

const after = (cloud: SimulatedCloud, hours: number) => new Date(cloud.date.getTime() + hours * hour);
/** As EventBridge Scheduler spells a time in Seoul. */
const inSeoul = (date: Date) => new Date(date.getTime() + 9 * hour).toISOString().slice(0, 19);

test("a nightly schedule ends the nodes at its time in its zone, every night", async () => {
  const { cloud, group, schedule, running } = await leased();
  await schedule("nightly", "cron(0 22 * * ? *)");
  const runs = passTime(cloud, after(cloud, 48));
  expect(runs.map(({ schedule: id, at, error }) => [id, at.toISOString().slice(11), error])).toEqual([
    ["default/nightly", "13:00:00.000Z", undefined],
    ["default/nightly", "13:00:00.000Z", undefined],
  ]);
  expect([running(), scalingConfigOf(group().inputs)]).toEqual([0, { minSize: 0, maxSize: 2, desiredSize: 0 }]);
});

test("nodes run until the time of a schedule, which runs once and is then deleted", async () => {
  const { cloud, schedule, running } = await leased();
  await schedule("session", `at(${inSeoul(after(cloud, 6))})`, { actionAfterCompletion: "DELETE" });
  expect([passTime(cloud, after(cloud, 5)), running()]).toEqual([[], 1]);
  const [run] = passTime(cloud, after(cloud, 2));
  expect([run?.schedule, run?.error, running()]).toEqual(["default/session", undefined, 0]);
  expect(cloud.get(types.schedule, "default/session")).toBeUndefined();
});

test("a schedule that is kept does not run a second time", async () => {
  const { cloud, schedule } = await leased();
  await schedule("end", `at(${inSeoul(after(cloud, 1))})`);
  expect(passTime(cloud, after(cloud, 2)).length).toBe(1);
  expect(passTime(cloud, after(cloud, 1000))).toEqual([]);
});

test("weekdays count from Sunday, and both day fields must match", async () => {
  const { cloud, schedule } = await leased();
  await schedule("fridays", "cron(0 22 ? * 6 *)");
  await schedule("last", "cron(0 22 L * ? *)");
  const runs = passTime(cloud, after(cloud, 24 * 62));
  const daysOf = (name: string) => runs.filter((run) => run.schedule === `default/${name}`).map(({ at }) => at);
  expect(new Set(daysOf("fridays").map((at) => at.getUTCDay()))).toEqual(new Set([5]));
  expect(new Set(daysOf("last").map((at) => new Date(at.getTime() + 24 * hour).getUTCDate()))).toEqual(new Set([1]));
});

test("without permission for the group, nothing ends, and the queue has the request", async () => {
  const { cloud, queue, allow, schedule, running } = await leased();
  await allow(nodeGroupArn(place, { clusterName: "lab", nodeGroupName: "other" }));
  await schedule("nightly", "cron(0 22 * * ? *)");
  const [run] = passTime(cloud, after(cloud, 24));
  expect(run?.error).toContain("is not authorized to perform: eks:UpdateNodegroupConfig on resource: arn:aws:eks:");
  expect(running()).toBe(1);
  expect(cloud.get(types.queue, queue.id)?.computed["messages"]).toEqual([
    { schedule: "default/nightly", error: run?.error },
  ]);
});

test("a group that is gone, and a disabled schedule", async () => {
  const { cloud, group, schedule } = await leased();
  await schedule("off", "cron(0 21 * * ? *)", { state: "DISABLED" });
  await schedule("nightly", "cron(0 22 * * ? *)");
  await cloud.delete(types.nodeGroup, group().id);
  expect(passTime(cloud, after(cloud, 24)).map(({ error }) => error)).toEqual([
    expect.stringMatching(/^No node group found for name: /),
  ]);
});

test("an Automation starts with the permission for its document, which must exist", async () => {
  const { cloud, queue, schedule } = await leased();
  const { id: DocumentName } = await cloud.create(types.document, { content: "{}", documentType: "Automation" });
  const input = JSON.stringify({ DocumentName, Parameters: { ScheduledTime: ["<aws.scheduler.scheduled-time>"] } });
  const target = {
    ...{ arn: "arn:aws:scheduler:::aws-sdk:ssm:startAutomationExecution", input },
    ...{ roleArn: "arn:aws:iam::123456789012:role/lease", deadLetterConfig: { arn: queue.computed["arn"] } },
  };
  await schedule("nightly", "cron(0 22 * * ? *)", { target });
  const error = () => passTime(cloud, after(cloud, 24)).map((run) => run.error);
  const definition = `arn:aws:ssm:ap-northeast-2:123456789012:automation-definition/${DocumentName}`;
  expect(error()).toEqual([
    expect.stringContaining(
      `not authorized to perform: ssm:StartAutomationExecution on resource: ${definition}:$DEFAULT`,
    ),
  ]);
  const statement = { Effect: "Allow", Action: "ssm:StartAutomationExecution", Resource: `${definition}:*` };
  const policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  await cloud.create(types.rolePolicy, { role: "lease", name: "start", policy });
  expect(error()).toEqual([undefined]);
  await cloud.delete(types.document, DocumentName);
  expect(error()).toEqual([`Automation document ${DocumentName} does not exist.`]);
});

test("what the simulation does not run is recorded", async () => {
  const { cloud, schedule } = await leased();
  await schedule("hourly", "rate(1 hour)");
  expect(passTime(cloud, after(cloud, 24))).toEqual([]);
  expect([...cloud.unsimulated]).toEqual([`${types.schedule} rate(1 hour)`]);
});
