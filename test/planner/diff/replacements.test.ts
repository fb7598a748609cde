import { expect, test } from "vitest";
import { differenceOf } from "../../../planner/diff/diff";
import { replacesResource } from "../../../planner/diff/property-changes";

const rule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const cluster = "aws:eks/cluster:Cluster";

test.for([
  ["aws:ec2/vpc:Vpc", "cidrBlock", "update", true],
  ["aws:ec2/vpc:Vpc", "tags.Name", "update", false],
  ["aws:eks/nodeGroup:NodeGroup", "launchTemplate", "add", true],
  ["aws:eks/nodeGroup:NodeGroup", "launchTemplate.version", "update", false],
  ["aws:eks/nodeGroup:NodeGroup", "subnetIds[1]", "delete", true],
  [cluster, "encryptionConfig", "add", false],
  [cluster, "encryptionConfig", "delete", true],
  [rule, "cidrIpv4", "update", false],
  [rule, "cidrIpv4", "add", true],
  [rule, "cidrIpv4", "delete", true],
  ["aws:s3/bucket:Bucket", "bucket", "update", false],
] as const)("of %s, %s: %s", ([type, path, kind, isReplaced]) => {
  expect(replacesResource(type, path, kind)).toBe(isReplaced);
});

test("resources of two stacks replace nothing", () => {
  const planOf = (stack: string, cidrBlock: string) => {
    const urn = `urn:pulumi:${stack}::p::aws:ec2/vpc:Vpc::vpc`;
    return { name: stack, resources: [{ urn, type: "aws:ec2/vpc:Vpc", custom: true, inputs: { cidrBlock } }] };
  };
  const changes = (stack: string) => differenceOf(planOf("a", "10.0.0.0/16"), planOf(stack, "10.1.0.0/16")).changed;
  const change = { path: "cidrBlock", from: "10.0.0.0/16", to: "10.1.0.0/16" };
  expect(changes("a").map(({ properties }) => properties)).toEqual([[{ ...change, replaces: true }]]);
  expect(changes("b").map(({ properties }) => properties)).toEqual([[change]]);
});
