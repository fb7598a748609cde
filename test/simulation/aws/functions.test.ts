import { describe, expect, test } from "vitest";
import { kubernetesVersion } from "../../../components/core/versions";
import type { Properties } from "../../../components/core/wire";
import { types } from "../../../simulation/aws/types";
import { CloudError } from "../../../simulation/cloud/errors";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { newCloud, put } from "./support";

const tokens = {
  zones: "aws:index/getAvailabilityZones:getAvailabilityZones",
  caller: "aws:index/getCallerIdentity:getCallerIdentity",
  partition: "aws:index/getPartition:getPartition",
  region: "aws:index/getRegion:getRegion",
  session: "aws:iam/getSessionContext:getSessionContext",
  quota: "aws:servicequotas/getServiceQuota:getServiceQuota",
  offerings: "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings",
  clusters: "aws:eks/getClusters:getClusters",
  cluster: "aws:eks/getCluster:getCluster",
  nodeGroups: "aws:eks/getNodeGroups:getNodeGroups",
  nodeGroup: "aws:eks/getNodeGroup:getNodeGroup",
  addonVersion: "aws:eks/getAddonVersion:getAddonVersion",
  logGroups: "aws:cloudwatch/getLogGroups:getLogGroups",
  logGroup: "aws:cloudwatch/getLogGroup:getLogGroup",
  parameter: "aws:ssm/getParameter:getParameter",
} as const;

function rejection(cloud: SimulatedCloud, token: string, args: Properties): string {
  try {
    cloud.call(token, args);
    return "answered";
  } catch (error) {
    if (error instanceof CloudError) return error.message;
    throw error;
  }
}

describe("the account", () => {
  test.for([
    ["no condition", {}, ["a", "b", "c", "d"]],
    [
      "what a lab asks for",
      { state: "available", filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }] },
      ["a", "b", "c", "d"],
    ],
    ["a zone left out by its id", { excludeZoneIds: ["apne2-az2"] }, ["a", "c", "d"]],
    ["a zone left out by its name", { excludeNames: ["ap-northeast-2a"] }, ["b", "c", "d"]],
    ["zones that are gone", { state: "unavailable" }, []],
    ["local zones", { filters: [{ name: "opt-in-status", values: ["opted-in"] }] }, []],
  ] as const)("zones with %s", ([, args, letters]) => {
    const { names, zoneIds } = newCloud().call(tokens.zones, args);
    expect(names).toEqual(letters.map((letter) => `ap-northeast-2${letter}`));
    expect(zoneIds).toEqual(letters.map((letter) => `apne2-az${letter.charCodeAt(0) - 96}`));
  });

  test("identity and region", () => {
    const cloud = newCloud({ caller: "arn:aws:sts::123456789012:assumed-role/Admin/me" });
    expect(cloud.call(tokens.caller, {})).toMatchObject({
      accountId: "123456789012",
      arn: "arn:aws:sts::123456789012:assumed-role/Admin/me",
    });
    expect(cloud.call(tokens.region, {})).toMatchObject({ region: "ap-northeast-2", id: "ap-northeast-2" });
    expect(cloud.call(tokens.partition, {})).toMatchObject({ partition: "aws", dnsSuffix: "amazonaws.com" });
  });

  test.for([
    ["arn:aws:iam::123456789012:user/learner", "arn:aws:iam::123456789012:user/learner", ""],
    ["arn:aws:sts::123456789012:assumed-role/Admin/me@x", "arn:aws:iam::123456789012:role/Admin", "me@x"],
  ] as const)("the issuer of %s is %s", ([arn, issuerArn, sessionName]) => {
    expect(newCloud().call(tokens.session, { arn })).toMatchObject({ arn, issuerArn, sessionName });
  });

  test("quotas of GPU vCPUs, VPCs and addresses", () => {
    const cloud = newCloud({ gpuVcpuQuota: 16 });
    const quota = (serviceCode: string, quotaCode: string) =>
      cloud.call(tokens.quota, { serviceCode, quotaCode })["value"];
    expect(quota("ec2", "L-DB2E81BA")).toBe(16);
    expect(quota("ec2", "L-417A185B")).toBe(16);
    expect(quota("ec2", "L-0263D0A3")).toBe(5);
    expect(quota("vpc", "L-F678F1CE")).toBe(5);
    expect(rejection(cloud, tokens.quota, { serviceCode: "ec2", quotaCode: "L-0" })).toBe(
      "NoSuchResourceException: The request failed because the specified service quota doesn't exist.",
    );
  });

  test("instance types in the zones of the account", () => {
    const filters = [{ name: "instance-type", values: ["g5.xlarge", "no.such"] }];
    const cloud = newCloud({ zones: ["ap-northeast-2a", "ap-northeast-2c"] });
    const { instanceTypes, locations } = cloud.call(tokens.offerings, { filters });
    expect((instanceTypes as string[]).filter((type) => type === "g5.xlarge").length).toBe(2);
    expect(new Set(locations as string[])).toEqual(new Set(["ap-northeast-2a", "ap-northeast-2c"]));
  });
});

describe("existing objects", () => {
  const scalingConfig = { desiredSize: 1, minSize: 0, maxSize: 2 };

  function withCluster() {
    const cloud = newCloud();
    put(cloud, types.cluster, "lab", { name: "lab", version: "1.35" }, { certificateAuthority: { data: "abc" } });
    put(
      cloud,
      types.nodeGroup,
      "lab:gpu-1",
      { clusterName: "lab", scalingConfig },
      { nodeGroupName: "gpu-1", status: "ACTIVE" },
    );
    return cloud;
  }

  test("clusters", () => {
    expect(newCloud().call(tokens.clusters, {})["names"]).toEqual([]);
    expect(withCluster().call(tokens.clusters, {})["names"]).toEqual(["lab"]);
    expect(withCluster().call(tokens.cluster, { name: "lab" })).toMatchObject({
      id: "lab",
      version: "1.35",
      certificateAuthorities: [{ data: "abc" }],
      tags: {},
    });
    expect(rejection(withCluster(), tokens.cluster, { name: "other" })).toBe(
      "ResourceNotFoundException: No cluster found for name: other.",
    );
  });

  test("node groups", () => {
    const cloud = withCluster();
    expect(cloud.call(tokens.nodeGroups, { clusterName: "lab" })["names"]).toEqual(["gpu-1"]);
    expect(cloud.call(tokens.nodeGroup, { clusterName: "lab", nodeGroupName: "gpu-1" })).toMatchObject({
      id: "lab:gpu-1",
      status: "ACTIVE",
      scalingConfigs: [scalingConfig],
    });
    expect(rejection(cloud, tokens.nodeGroups, { clusterName: "other" })).toBe(
      "ResourceNotFoundException: No cluster found for name: other.",
    );
    expect(rejection(cloud, tokens.nodeGroup, { clusterName: "lab", nodeGroupName: "other" })).toBe(
      "ResourceNotFoundException: No node group found for name: other.",
    );
  });

  test("log groups with all their tags", async () => {
    const cloud = newCloud();
    const tags = { Name: "logs" };
    const logs = { name: "/aws/eks/lab/cluster", tags, retentionInDays: 7 };
    await cloud.create(types.logGroup, logs, { defaultTags: { tags: { team: "gpu" } } });
    await cloud.create(types.logGroup, { name: "/aws/vpc/lab" });
    const names = (args: object) => cloud.call(tokens.logGroups, { ...args })["logGroupNames"];
    expect(names({ logGroupNamePrefix: "/aws/eks/" })).toEqual(["/aws/eks/lab/cluster"]);
    expect(names({})).toEqual(["/aws/eks/lab/cluster", "/aws/vpc/lab"]);
    expect(cloud.call(tokens.logGroup, { name: "/aws/eks/lab/cluster" })).toMatchObject({
      tags: { ...tags, team: "gpu" },
      retentionInDays: 7,
      arn: "arn:aws:logs:ap-northeast-2:123456789012:log-group:/aws/eks/lab/cluster",
    });
    expect(rejection(cloud, tokens.logGroup, { name: "none" })).toBe(
      "ResourceNotFoundException: The specified log group does not exist.",
    );
  });

  test("versions of add-ons", () => {
    const cloud = newCloud();
    const args = { addonName: "coredns", kubernetesVersion };
    expect(cloud.call(tokens.addonVersion, args)["version"]).toMatch(/^v\d+\.\d+/);
    expect(rejection(cloud, tokens.addonVersion, { ...args, addonName: "none" })).toBe(
      `NotFound: reading EKS Add-On version (none, ${kubernetesVersion}): couldn't find resource`,
    );
  });

  test("AMI ids of EKS, the same for the same name", () => {
    const name = (image: string) =>
      `/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/nvidia/${image}/image_id`;
    const value = (image: string) => newCloud().call(tokens.parameter, { name: name(image) })["value"];
    expect(value("recommended")).toMatch(/^ami-[0-9a-f]{17}$/);
    expect(value("recommended")).toBe(value("recommended"));
    expect(value("amazon-eks-node-al2023-x86_64-nvidia-1.35-v20260930")).not.toBe(value("recommended"));
    const wrong = name("amazon-eks-node-al2023-x86_64-nvidia-1.35-vundefined");
    expect(rejection(newCloud(), tokens.parameter, { name: wrong })).toBe(
      `ParameterNotFound: reading SSM Parameter (${wrong}): couldn't find resource`,
    );
  });
});
