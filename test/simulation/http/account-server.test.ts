import { AutoScaling } from "@aws-sdk/client-auto-scaling";
import { EKS } from "@aws-sdk/client-eks";
import { Scheduler } from "@aws-sdk/client-scheduler";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { scaleInput, scaleTarget } from "../../../components/lease/lease-documents";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { serveAccount, type Exchange } from "../../../simulation/http/account-server";
import { useAws } from "../../support/aws-environment";
import { callWithBotocore, exchangeProblems, missingModels, type AwsRequest } from "../../support/aws-models";
import { clusterForNodes, gpuInputs, makeGroup, put } from "../aws/eks/foundation";
import { saySkipped } from "../../support/skips";

const missing = missingModels();
if (missing !== undefined) saySkipped(`skipped, the answers of the simulated account: ${missing}`);

const region = "ap-northeast-2";
const names = { clusterName: "lab", nodegroupName: "gpu" };

/** An account with a cluster and a group of GPU nodes at rest, over HTTP. */
async function account() {
  const cloud = await clusterForNodes();
  const group = await makeGroup(cloud, { ...gpuInputs, labels: { team: "a" }, tags: { Name: `<a & "b">` } });
  const exchanges: Exchange[] = [];
  const server = await serveAccount(cloud, (exchange) => void exchanges.push(exchange));
  onTestFinished(() => server.close());
  useAws(server.endpoint);
  const [autoScalingGroup = ""] = cloud.find(types.autoscalingGroup).map(({ id }) => id);
  return { cloud, group, exchanges, endpoint: server.endpoint, autoScalingGroup };
}

const scheduler = "arn:aws:iam::123456789012:role/scheduler";

/** What a lease needs: the group of its schedules, and their role. */
function withLease(cloud: SimulatedCloud): void {
  put(
    cloud,
    types.role,
    "scheduler",
    { assumeRolePolicy: `{"Principal":"scheduler.amazonaws.com"}` },
    { arn: scheduler },
  );
  put(cloud, types.scheduleGroup, "lease", { name: "lease" });
}

function scheduleOf(GroupName: string, Name: string) {
  const Input = scaleInput({ clusterName: "lab", nodeGroupName: "gpu", maxSize: 4 });
  return {
    ...{ GroupName, Name, ScheduleExpression: "at(2126-12-01T03:00:00)", ScheduleExpressionTimezone: "UTC" },
    FlexibleTimeWindow: { Mode: "OFF" as const },
    Target: { Arn: scaleTarget("aws"), RoleArn: scheduler, Input, RetryPolicy: { MaximumRetryAttempts: 185 } },
  };
}

const eks = () => new EKS({ region, maxAttempts: 1 });
const autoScaling = () => new AutoScaling({ region, maxAttempts: 1 });
const scale = (scalingConfig: object) => eks().updateNodegroupConfig({ ...names, scalingConfig });

describe("the simulated account over HTTP", () => {
  test("describes clusters and node groups, also those that EKS does not have", async () => {
    const { cloud } = await account();
    const { cluster } = await eks().describeCluster({ name: "lab" });
    expect(cluster).toMatchObject({
      name: "lab",
      status: "ACTIVE",
      endpoint: expect.stringMatching(/^https:/) as string,
    });
    expect((await eks().listClusters()).clusters).toEqual(["lab"]);
    expect((await eks().listNodegroups({ clusterName: "lab" })).nodegroups).toEqual(["gpu"]);
    expect((await eks().describeNodegroup(names)).nodegroup).toMatchObject({
      ...{ ...names, status: "ACTIVE", capacityType: "ON_DEMAND", instanceTypes: ["g5.xlarge"] },
      scalingConfig: { minSize: 0, maxSize: 4, desiredSize: 0 },
      ...{ subnets: ["subnet-a"], labels: { team: "a" }, tags: { Name: `<a & "b">` }, health: { issues: [] } },
    });
    await expect(eks().describeCluster({ name: "none" })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
      message: "No cluster found for name: none.",
    });
    await expect(eks().describeNodegroup({ ...names, nodegroupName: "cpu" })).rejects.toThrow(/No node group found/);
    cloud.remove(types.cluster, "lab");
    await expect(eks().describeNodegroup(names)).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });

  test("scales a group, and keeps the sizes that a request does not state", async () => {
    const { cloud, autoScalingGroup: name } = await account();
    const { update } = await scale({ desiredSize: 2 });
    expect(update).toMatchObject({
      type: "ConfigUpdate",
      status: "InProgress",
      params: [{ type: "DesiredSize", value: "2" }],
    });
    expect(cloud.find(types.instance).length).toBe(2);
    const found = await eks().describeUpdate({ name: "lab", nodegroupName: "gpu", updateId: update?.id });
    expect(found.update).toMatchObject({ id: update?.id, status: "Successful" });
    const { AutoScalingGroups: groups } = await autoScaling().describeAutoScalingGroups({
      AutoScalingGroupNames: [name],
    });
    expect(groups).toMatchObject([{ MinSize: 0, MaxSize: 4, DesiredCapacity: 2, AvailabilityZones: [`${region}a`] }]);
    expect(groups?.[0]?.Instances?.map((each) => [each.InstanceType, each.LifecycleState])).toEqual([
      ["g5.xlarge", "InService"],
      ["g5.xlarge", "InService"],
    ]);
    await scale({ desiredSize: 0, minSize: 0 });
    expect(cloud.find(types.instance)).toEqual([]);
    const { Activities: list = [] } = await autoScaling().describeScalingActivities({ AutoScalingGroupName: name });
    expect(list.map(({ Description, StatusCode }) => [Description?.split(":")[0], StatusCode])).toEqual([
      ["Terminating EC2 instance", "Successful"],
      ["Terminating EC2 instance", "Successful"],
      ["Launching a new EC2 instance", "Successful"],
      ["Launching a new EC2 instance", "Successful"],
    ]);
  });

  test.for([
    [{ desiredSize: 5 }, "desired capacity 5 can't be greater than max size 4"],
    [{ minSize: 1, desiredSize: 0 }, "Minimum capacity 1 can't be greater than desired size 0"],
    [{ maxSize: 0 }, "maxSize must be greater than or equal to 1"],
  ] as const)("rejects %j as EKS does, and changes nothing", async ([sizes, message]) => {
    const { cloud, group } = await account();
    await expect(scale(sizes)).rejects.toMatchObject({ name: "InvalidParameterException", message });
    expect(cloud.get(types.nodeGroup, group.id)?.inputs["scalingConfig"]).toEqual(gpuInputs["scalingConfig"]);
  });

  const shortages: [string, (cloud: SimulatedCloud, isShort: boolean) => void, RegExp][] = [
    ["quota", ({ account: own }, isShort) => (own.gpuVcpuQuota = isShort ? 0 : 8), /current vCPU limit of 0 allows/],
    [
      "capacity",
      ({ account: own }, isShort) => (own.soldOut = isShort ? ["g5.xlarge"] : []),
      /do not have sufficient g5\.xlarge capacity in the Availability Zone you requested \(ap-northeast-2a\)/,
    ],
  ];

  test.for(shortages)(
    "without %s, a launch fails in the activities and the health, and is tried again",
    async ([, set, text]) => {
      const { cloud, autoScalingGroup } = await account();
      const latest = async () => {
        const request = { AutoScalingGroupName: autoScalingGroup, MaxRecords: 1 };
        return (await autoScaling().describeScalingActivities(request)).Activities?.[0];
      };
      set(cloud, true);
      await scale({ desiredSize: 1 });
      expect(await latest()).toMatchObject({
        StatusCode: "Failed",
        StatusMessage: expect.stringMatching(text) as string,
      });
      const { nodegroup } = await eks().describeNodegroup(names);
      expect(nodegroup).toMatchObject({
        status: "DEGRADED",
        health: { issues: [{ code: "AsgInstanceLaunchFailures" }] },
      });
      expect(nodegroup?.health?.issues?.[0]?.message).toMatch(text);
      set(cloud, false);
      expect(await latest()).toMatchObject({ StatusCode: "Successful" });
      expect((await eks().describeNodegroup(names)).nodegroup).toMatchObject({
        status: "ACTIVE",
        health: { issues: [] },
      });
    },
  );

  test("has the schedules of a group, as EventBridge Scheduler does", async () => {
    const { cloud } = await account();
    withLease(cloud);
    const [GroupName, Name] = ["lease", "session-gpu"];
    const schedules = new Scheduler({ region, maxAttempts: 1 });
    const once = { ...scheduleOf(GroupName, Name), ActionAfterCompletion: "DELETE" as const };
    await schedules.createSchedule(once);
    await expect(schedules.createSchedule(once)).rejects.toMatchObject({ name: "ConflictException" });
    await schedules.updateSchedule({ ...once, ScheduleExpression: "at(2126-12-01T05:00:00)" });
    expect(await schedules.getSchedule({ GroupName, Name })).toMatchObject({
      ...{ Name, GroupName, State: "ENABLED", ActionAfterCompletion: "DELETE", Target: once.Target },
      ScheduleExpression: "at(2126-12-01T05:00:00)",
    });
    expect((await schedules.listSchedules({ GroupName })).Schedules).toMatchObject([{ Name, GroupName }]);
    const wrong = { ...once, Name: "past", ScheduleExpression: "at(2020-01-01T00:00:00)" };
    await expect(schedules.createSchedule(wrong)).rejects.toMatchObject({ name: "ValidationException" });
    await schedules.deleteSchedule({ GroupName, Name });
    await expect(schedules.getSchedule({ GroupName, Name })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
    await expect(schedules.listSchedules({ GroupName: "none" })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
  });

  test("other requests and services are named", async () => {
    await account();
    await expect(eks().listInsights({ clusterName: "lab" })).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
    await expect(autoScaling().describePolicies({})).rejects.toThrow("does not answer DescribePolicies");
    await expect(autoScaling().describeScalingActivities({ AutoScalingGroupName: "a" })).rejects.toMatchObject({
      name: "ValidationError",
    });
    await expect(scale({})).resolves.toBeDefined();
    await expect(eks().updateNodegroupConfig(names)).rejects.toThrow("There are no changes to update");
    await expect(eks().updateNodegroupConfig({ ...names, labels: {} })).rejects.toThrow("not labels");
  });
});

describe.skipIf(missing !== undefined)("by the models of AWS", () => {
  let answers: Readonly<Record<string, unknown>>[];
  let exchanges: readonly Exchange[];

  /** Every request that the account answers, and errors of each service. */
  const calls = (AutoScalingGroupName: string): AwsRequest[] => [
    { service: "eks", operation: "ListClusters", params: {} },
    { service: "eks", operation: "DescribeCluster", params: { name: "lab" } },
    { service: "eks", operation: "ListNodegroups", params: { clusterName: "lab" } },
    { service: "eks", operation: "UpdateNodegroupConfig", params: { ...names, scalingConfig: { desiredSize: 3 } } },
    { service: "eks", operation: "DescribeNodegroup", params: names },
    { service: "autoscaling", operation: "DescribeAutoScalingGroups", params: {} },
    {
      service: "autoscaling",
      operation: "DescribeAutoScalingGroups",
      params: { AutoScalingGroupNames: [AutoScalingGroupName] },
    },
    { service: "autoscaling", operation: "DescribeScalingActivities", params: { AutoScalingGroupName } },
    { service: "autoscaling", operation: "DescribeScalingActivities", params: { AutoScalingGroupName: "none" } },
    { service: "eks", operation: "DescribeNodegroup", params: { ...names, nodegroupName: "none" } },
    { service: "eks", operation: "UpdateNodegroupConfig", params: { ...names, scalingConfig: { desiredSize: 9 } } },
    { service: "eks", operation: "DescribeUpdate", params: { name: "lab", updateId: "none" } },
    { service: "scheduler", operation: "CreateSchedule", params: scheduleOf("lease", "a") },
    { service: "scheduler", operation: "UpdateSchedule", params: scheduleOf("lease", "a") },
    { service: "scheduler", operation: "GetSchedule", params: { GroupName: "lease", Name: "a" } },
    { service: "scheduler", operation: "ListSchedules", params: { GroupName: "lease" } },
    { service: "scheduler", operation: "DeleteSchedule", params: { GroupName: "lease", Name: "a" } },
    { service: "scheduler", operation: "GetSchedule", params: { GroupName: "lease", Name: "a" } },
  ];

  beforeAll(async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, { ...gpuInputs, updateConfig: { maxUnavailable: 1 } });
    withLease(cloud);
    const recorded: Exchange[] = [];
    const server = await serveAccount(cloud, (exchange) => void recorded.push(exchange));
    const [autoScalingGroup = ""] = cloud.find(types.autoscalingGroup).map(({ id }) => id);
    answers = await callWithBotocore(server.endpoint, region, calls(autoScalingGroup));
    await server.close();
    exchanges = recorded;
  });

  test("each request and each answer is valid", () => {
    expect(exchanges.length).toBe(18);
    expect(exchangeProblems(exchanges)).toEqual([]);
  });

  test("the SDK for Python reads what the account has", () => {
    const [clusters, , groups, update, group, all, one, activities, ...more] = answers;
    const [errors, schedules] = [[...more.slice(0, 4), ...more.slice(-1)], more.slice(4, -1)];
    expect(schedules).toMatchObject([{}, {}, { Name: "a", State: "ENABLED" }, { Schedules: [{ Name: "a" }] }, {}]);
    expect([clusters, groups]).toMatchObject([{ clusters: ["lab"] }, { nodegroups: ["gpu"] }]);
    expect(update).toMatchObject({ update: { createdAt: expect.stringMatching(/^2026-/) as string } });
    expect(group).toMatchObject({ nodegroup: { status: "DEGRADED", scalingConfig: { desiredSize: 3 } } });
    expect(all).toMatchObject({ AutoScalingGroups: [{ Instances: [{}, {}] }] });
    expect(one).toMatchObject({ AutoScalingGroups: [{ DesiredCapacity: 3, DefaultCooldown: 300 }] });
    const statuses = (activities?.["Activities"] as { StatusCode: string }[]).map(({ StatusCode }) => StatusCode);
    // Each request lets EC2 Auto Scaling try again.
    expect(statuses).toEqual(["Failed", "Failed", "Failed", "Successful", "Successful"]);
    expect(errors.map(({ error }) => (error as { Code: string }).Code)).toEqual([
      ...["ValidationError", "ResourceNotFoundException", "InvalidParameterException", "ResourceNotFoundException"],
      "ResourceNotFoundException",
    ]);
  });

  test("a wrong request and a wrong answer are found", () => {
    const [, , , , right] = exchanges;
    if (!right) throw new Error("there is no exchange");
    const answer = (body: string, status = 200) => ({ ...right, response: { ...right.response, status, body } });
    const wrong = [
      answer(`{"nodegroup":{"status":"READY"}}`),
      answer(`{"nodegroup":{"nodeGroupName":"gpu"}}`),
      answer(`{"message":"no"}`, 400),
      { ...right, request: { ...right.request, url: "/clusters/lab/nodegroups/gpu" } },
    ];
    expect(exchangeProblems(wrong)).toEqual([
      expect.stringMatching(/^DescribeNodegroup: answer\.nodegroup\.status: 'READY' is not one of/),
      expect.stringMatching(/^DescribeNodegroup: answer\.nodegroup\.status: 'READY' is not one of/),
      "DescribeNodegroup: answer.nodegroup: nodeGroupName is unknown",
      expect.stringMatching(/^DescribeNodegroup: answer: .* is no error of DescribeNodegroup$/),
      expect.stringMatching(/is no operation$/),
    ]);
  });
});
