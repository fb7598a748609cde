import { expect, test } from "vitest";
import { scaleCommand } from "../../../components";
import { scaleInput, scaleTarget } from "../../../components/lease/lease-documents";
import { types } from "../../../simulation/aws/types";
import { scaleGroup } from "../../../simulation/aws/eks/nodes/instances";
import { forgetSession, runScaleCommand, type SessionCommand } from "../../../simulation/rehearsal/session";
import { createCloud } from "../../../simulation/create-cloud";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

const type = "aws:eks/nodeGroup:NodeGroup";

function cloudWithGroup(): SimulatedCloud {
  const cloud = createCloud();
  cloud.put({
    type,
    id: "lab:gpu-1",
    inputs: {
      clusterName: "lab",
      instanceTypes: ["g5.xlarge"],
      subnetIds: [],
      scalingConfig: { minSize: 0, maxSize: 9, desiredSize: 0 },
    },
    computed: { nodeGroupName: "gpu-1", status: "ACTIVE" },
  });
  return cloud;
}

const command = (desired: number, group = "gpu-1") =>
  scaleCommand({ cluster: "lab", group, region: "ap-northeast-2", min: 0, max: 9, desired });

test("the command in the stack's outputs scales the group", () => {
  const cloud = cloudWithGroup();
  expect(runScaleCommand(cloud, command(2))).toEqual({ text: "gpu-1: 2 nodes", rejected: false, seconds: 240 });
  expect(runScaleCommand(cloud, command(1))).toMatchObject({ text: "gpu-1: 1 node" });
  expect(runScaleCommand(cloud, command(0))).toEqual({ text: "gpu-1: 0 nodes", rejected: false, seconds: 180 });
});

test("the quota and the maximum size are enforced", () => {
  expect(runScaleCommand(cloudWithGroup(), command(3))).toMatchObject({
    rejected: true,
    text: expect.stringContaining("VcpuLimitExceeded") as unknown,
  });
  expect(runScaleCommand(cloudWithGroup(), command(10))).toMatchObject({
    rejected: true,
    text: expect.stringContaining("InvalidParameterException") as unknown,
  });
});

test("other commands are rejected", () => {
  expect(runScaleCommand(cloudWithGroup(), "rm -r /")).toMatchObject({ rejected: true });
});

/** A session that starts one node in the given cloud. */
const starts =
  (cloud: SimulatedCloud): SessionCommand =>
  () => {
    const [group] = cloud.find(type);
    if (!group) throw new Error("The cloud has no group.");
    scaleGroup(cloud, group, { minSize: 0, maxSize: 9, desiredSize: 1 });
    return Promise.resolve({ text: "gpu-1: 1 instance", rejected: false });
  };

test("a forgotten session is left out without schedules", async () => {
  const cloud = cloudWithGroup();
  expect(await forgetSession(cloud, starts(cloud), { outputs: {} })).toBeUndefined();
});

test("a forgotten session is rejected when its schedule cannot end the nodes", async () => {
  const cloud = cloudWithGroup();
  const input = scaleInput({ clusterName: "lab", nodeGroupName: "gpu-1", maxSize: 9 });
  cloud.put({
    type: types.schedule,
    id: "lease/nightly-gpu",
    inputs: {
      scheduleExpression: "cron(0 22 * * ? *)",
      scheduleExpressionTimezone: "Asia/Seoul",
      target: { arn: scaleTarget("aws"), roleArn: "arn:aws:iam::123456789012:role/none", input },
    },
    computed: {},
  });
  expect(await forgetSession(cloud, starts(cloud), { outputs: {} })).toMatchObject({
    rejected: true,
    text: expect.stringMatching(/^1 instance left after a day\. .*not authorized to perform/) as string,
  });
});
