import { expect, test } from "vitest";
import { scaleInput, scaleTarget } from "../../../components/lease/lease-documents";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { answer, newCloud, nightly, queuePolicy, schedulerTrust, trust } from "./support";

const input = scaleInput({ clusterName: "myeks", nodeGroupName: "gpu", maxSize: 2 });

async function roleIn(cloud: SimulatedCloud, assumeRolePolicy = schedulerTrust): Promise<unknown> {
  return (await cloud.create(types.role, { namePrefix: "lease-", assumeRolePolicy })).computed["arn"];
}

test("the names of groups are unique, and a group takes its schedules with it", async () => {
  const cloud = newCloud();
  const { id: groupName, computed } = await cloud.create(types.scheduleGroup, { name: "lab" });
  expect(computed["arn"]).toBe("arn:aws:scheduler:ap-northeast-2:123456789012:schedule-group/lab");
  expect(await answer(cloud.create(types.scheduleGroup, { name: "lab" }))).toContain("ConflictException");
  const target = { arn: scaleTarget("aws"), roleArn: await roleIn(cloud), input };
  const made = await cloud.create(types.schedule, { ...nightly, name: "nightly", groupName, target });
  expect(made.id).toBe("lab/nightly");
  expect(await answer(cloud.create(types.schedule, { ...nightly, name: "nightly", groupName, target }))).toContain(
    "ConflictException",
  );
  await cloud.delete(types.scheduleGroup, groupName);
  expect(cloud.find(types.schedule)).toEqual([]);
});

const expression = (scheduleExpression: string) => ({ scheduleExpression });

test.for([
  ["each night", {}, "done"],
  ["once", expression("at(2099-01-01T00:00:00)"), "done"],
  ["every hour", expression("rate(1 hour)"), "done"],
  ["once, in the past", expression("at(2020-01-01T00:00:00)"), "Invalid Schedule Expression"],
  ["with five fields", expression("cron(0 22 * * *)"), "Invalid Schedule Expression"],
  ["in a group that is not there", { groupName: "none" }, "ResourceNotFoundException"],
  ["with a long name", { name: "a".repeat(65) }, "at 'name' failed to satisfy constraint"],
] as const)("a schedule %s", async ([, inputs, expected]) => {
  const cloud = newCloud();
  const target = { arn: scaleTarget("aws"), roleArn: await roleIn(cloud), input };
  expect(await answer(cloud.create(types.schedule, { ...nightly, target, ...inputs }))).toContain(expected);
});

test("the role must trust EventBridge Scheduler", async () => {
  const cloud = newCloud();
  for (const roleArn of [await roleIn(cloud, trust), "arn:aws:iam::123456789012:role/none"]) {
    const target = { arn: scaleTarget("aws"), roleArn, input };
    expect(await answer(cloud.create(types.schedule, { ...nightly, target }))).toContain("must allow AWS EventBridge");
  }
});

test("the keys of the input begin with a capital letter", async () => {
  const cloud = newCloud();
  const roleArn = await roleIn(cloud);
  const camelCase = JSON.stringify({ clusterName: "myeks", nodegroupName: "gpu" });
  for (const wrong of [camelCase, "{", undefined]) {
    const target = { arn: scaleTarget("aws"), roleArn, input: wrong };
    expect(await answer(cloud.create(types.schedule, { ...nightly, target }))).toContain("ClusterName, NodegroupName");
  }
});

test("a queue has a URL, is encrypted, and is deleted with its policy", async () => {
  const cloud = newCloud();
  const { id: queueUrl, computed } = await cloud.create(types.queue, { name: "lab", messageRetentionSeconds: 60 });
  expect(queueUrl).toBe("https://sqs.ap-northeast-2.amazonaws.com/123456789012/lab");
  expect(computed).toMatchObject({ url: queueUrl, sqsManagedSseEnabled: true });
  await cloud.create(types.queuePolicy, { queueUrl, policy: queuePolicy });
  expect(await answer(cloud.create(types.queuePolicy, { queueUrl: "https://none", policy: queuePolicy }))).toContain(
    "QueueDoesNotExist",
  );
  expect(await answer(cloud.create(types.queuePolicy, { queueUrl, policy: trust }))).toContain("parameter Policy");
  await cloud.delete(types.queue, queueUrl);
  expect(cloud.find(types.queuePolicy)).toEqual([]);
});

test.for([
  [{ name: "a b" }, "InvalidParameterValue"],
  [{ name: "a".repeat(81) }, "InvalidParameterValue"],
  [{ messageRetentionSeconds: 59 }, "InvalidAttributeValue"],
  [{ messageRetentionSeconds: 1209601 }, "InvalidAttributeValue"],
] as const)("a queue with %j is rejected", async ([inputs, expected]) => {
  const queue = { messageRetentionSeconds: 60, ...inputs };
  expect(await answer(newCloud().create(types.queue, queue))).toContain(expected);
});
