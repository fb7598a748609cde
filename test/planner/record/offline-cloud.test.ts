import { describe, expect, test } from "vitest";
import { addonDefaults } from "../../../components/cluster/addons/addon-defaults";
import { kubernetesVersion } from "../../../components/core/versions";
import { unknownOutput } from "../../../components/core/wire";
import { unknownResult } from "../../../planner/lookups/sdk-lookups";
import { offlineCloud } from "../../../planner/record/offline-cloud";

const zonesOf = (region: string) =>
  offlineCloud(region).call("aws:index/getAvailabilityZones:getAvailabilityZones", {})["names"];

test.for([
  ["ap-northeast-2", "abcd"],
  ["ap-northeast-1", "acd"],
  ["us-east-1", "abcdef"],
  ["eu-central-1", "abc"],
] as const)("the zones of %s are its own", ([region, letters]) => {
  expect(zonesOf(region)).toEqual([...letters].map((letter) => region + letter));
});

test.for([
  ["us-east-1", "aws", "amazonaws.com"],
  ["cn-north-1", "aws-cn", "amazonaws.com.cn"],
  ["us-gov-west-1", "aws-us-gov", "amazonaws.com"],
] as const)("%s lies in the partition %s", ([region, partition, dnsSuffix]) => {
  expect(offlineCloud(region).call("aws:index/getPartition:getPartition", {})).toMatchObject({ partition, dnsSuffix });
});

describe("instance type offerings", () => {
  const offered = (region: string, types: string[], zone?: string) =>
    offlineCloud(region).call("aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings", {
      filters: [{ name: "instance-type", values: types }, ...(zone ? [{ name: "location", values: [zone] }] : [])],
    });

  test("a type is offered in every zone of a region that has a price for it", () => {
    expect(offered("eu-west-1", ["g5.xlarge"])).toMatchObject({
      instanceTypes: ["g5.xlarge", "g5.xlarge", "g5.xlarge"],
      locations: ["eu-west-1a", "eu-west-1b", "eu-west-1c"],
    });
    expect(offered("eu-west-1", ["g5.xlarge"], "eu-west-1b")["locations"]).toEqual(["eu-west-1b"]);
  });

  test("a type that the price table marks as not offered is not offered", () => {
    expect(offered("eu-west-1", ["p5.48xlarge"])["instanceTypes"]).toEqual([]);
  });

  test("where nothing is known of a region or a type, it is taken as offered", () => {
    expect(offered("cn-north-1", ["p5.48xlarge"])["instanceTypes"]).toHaveLength(3);
    expect(offered("eu-west-1", ["c7i.large"])["instanceTypes"]).toHaveLength(3);
  });
});

test("add-on versions are EKS's defaults for the Kubernetes version", () => {
  const version = (args: object) =>
    offlineCloud("us-east-1").call("aws:eks/getAddonVersion:getAddonVersion", { ...args })["version"];
  const { version: expected } = addonDefaults[kubernetesVersion]?.["coredns"] ?? {};
  expect(expected).toMatch(/^v1\.\d+\.\d+-eksbuild\.\d+$/);
  expect(version({ addonName: "coredns", kubernetesVersion })).toBe(expected);
  expect(version({ addonName: "coredns" })).toBe(expected);
  expect(version({ addonName: "coredns", kubernetesVersion: "1.99" })).toBe(unknownOutput);
});

test("what depends on the account stays unknown", () => {
  const cloud = offlineCloud("us-east-1");
  expect(cloud.call("aws:servicequotas/getServiceQuota:getServiceQuota", {})["value"]).toBe(unknownOutput);
  expect(cloud.call("aws:ssm/getParameter:getParameter", {})["value"]).toBe(unknownOutput);
  expect(cloud.call("aws:iam/getSessionContext:getSessionContext", {})["issuerArn"]).toBe(unknownOutput);
  expect(cloud.call("aws:index/getCallerIdentity:getCallerIdentity", {})["arn"]).toBe(unknownOutput);
  expect(cloud.call("aws:eks/getClusters:getClusters", {})["names"]).toBe(unknownOutput);
  expect(cloud.call("pulumi:pulumi:readStackOutputs", {})).toEqual({});
  expect(cloud.call("aws:eks/getNodeGroups:getNodeGroups", {})["names"]).toEqual([]);
  expect(cloud.call("aws:cloudwatch/getLogGroups:getLogGroups", {})["logGroupNames"]).toEqual([]);
  expect(cloud.call("aws:index/getRegion:getRegion", {})["region"]).toBe("us-east-1");
  expect(cloud.unanswered.size).toBe(0);
});

test("a function without an answer gets an unknown one, and is remembered once", () => {
  const cloud = offlineCloud("us-east-1");
  expect(cloud.call("x:y:z", {})).toBe(unknownResult);
  cloud.call("x:y:z", {});
  expect([...cloud.unanswered]).toEqual(["x:y:z"]);
  expect(cloud.outputsOf({ type: "t", name: "n", inputs: {} })).toEqual({});
});
