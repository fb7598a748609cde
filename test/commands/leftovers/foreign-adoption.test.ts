import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { EC2 } from "@aws-sdk/client-ec2";
import { EKS } from "@aws-sdk/client-eks";
import { IAM } from "@aws-sdk/client-iam";
import { KMS } from "@aws-sdk/client-kms";
import { Scheduler } from "@aws-sdk/client-scheduler";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { runLeftovers } from "../../../commands/leftovers/leftovers";
import { useAws } from "../../support/aws-environment";
import { simulator } from "../../support/aws-simulators";
import { captured } from "../../support/cli";
import { idOf, identityOf, region, stackTags } from "./support/orphans";
import { useStack, type StateFields } from "./support/pulumi-stack";

vi.mock("../../../components/cost/price-table.json", () => import("../../fixtures/price-table.json"));

/** --adopt must put nothing of somebody else into the state: the next update would change it, and a destroy delete it. */

const moto = simulator("moto", "the adoption of leftovers");
beforeEach(async (context) => {
  const endpoint = moto(context);
  useAws(endpoint);
  await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
});

const own = { ...stackTags("gpu-lab", "thing"), "eks-gpu-lab/id": idOf("myeks") };
const listOf = (tags: Record<string, string>) => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

function resource(type: string, inputs: object, more: object = {}) {
  return { urn: `urn:pulumi:gpu-lab::p::${type}::thing`, type, custom: true, inputs, ...more };
}

/** The IDs of what the state has after --adopt. */
async function adopted(
  create: object,
  known: readonly object[] = [],
  identities = [identityOf("myeks")],
): Promise<readonly (string | undefined)[]> {
  const pending = { type: "creating", resource: create } as { readonly type: string };
  const imported = useStack({ resources: [...identities, ...known], pending_operations: [pending] });
  const args = ["--stack", "gpu-lab", "--adopt"];
  const { out, err } = await captured((console) => runLeftovers(args, console, { intervalMs: 5, waitMs: 1000 }), {
    terminal: { isTTY: false, columns: 100 },
    input: Object.assign(Readable.from([]), { isTTY: false }),
  });
  expect(out, err).toContain("Next: pulumi up --refresh");
  const { deployment } = JSON.parse(readFileSync(imported(), "utf8")) as { deployment: StateFields };
  const all = (deployment.resources ?? []) as readonly { readonly type: string; readonly id?: string }[];
  return all.filter(({ type }) => type === (create as { type: string }).type).map(({ id }) => id);
}

describe("an alias", () => {
  const alias = (targetKeyId: string) => resource("aws:kms/alias:Alias", { name: "alias/eks/myeks", targetKeyId });

  test("that leads to the key of the inputs is adopted, by its ID or its ARN; to another key, it is not", async () => {
    const kms = new KMS({ region });
    const { KeyMetadata: key } = await kms.createKey({});
    const { KeyMetadata: other } = await kms.createKey({});
    await kms.createAlias({ AliasName: "alias/eks/myeks", TargetKeyId: key?.KeyId });
    expect(await adopted(alias(key?.KeyId ?? ""))).toEqual(["alias/eks/myeks"]);
    expect(await adopted(alias(key?.Arn ?? ""))).toEqual(["alias/eks/myeks"]);
    expect(await adopted(alias(other?.KeyId ?? ""))).toEqual([]);
  });
});

describe("a policy of the same name", () => {
  const PolicyDocument = JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: "ec2:DescribeVpcs", Resource: "*" }],
  });

  test.for([
    ["the id of the inputs", own, own, true],
    ["no tags", {}, own, false],
    ["the tag of the stack only", stackTags("gpu-lab", "thing"), own, false],
    ["another id", { ...own, "eks-gpu-lab/id": idOf("other") }, own, false],
    ["no id, as the inputs", stackTags("gpu-lab", "thing"), stackTags("gpu-lab", "thing"), false],
  ] as const)("with %s", async ([, tags, inputs, isAdopted]) => {
    const iam = new IAM({ region });
    const { Policy } = await iam.createPolicy({ PolicyName: "myeks-controller", PolicyDocument, Tags: listOf(tags) });
    const create = resource("aws:iam/policy:Policy", { name: "myeks-controller", tags: inputs });
    expect(await adopted(create)).toEqual(isAdopted ? [Policy?.Arn] : []);
  });
});

test("a schedule of the same name is adopted if it does what the inputs say", async () => {
  const target = { arn: "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig", input: '{"ClusterName":"myeks"}' };
  const times = { ScheduleExpression: "rate(1 day)", FlexibleTimeWindow: { Mode: "OFF" as const } };
  const RoleArn = "arn:aws:iam::123456789012:role/x";
  const Target = { Arn: target.arn, Input: target.input, RoleArn };
  await new Scheduler({ region }).createSchedule({ Name: "nightly-gpu", Target, ...times });
  const create = (input: string) =>
    resource("aws:scheduler/schedule:Schedule", { name: "nightly-gpu", target: { ...target, input } });
  expect(await adopted(create(target.input))).toEqual(["default/nightly-gpu"]);
  expect(await adopted(create('{"ClusterName":"other"}'))).toEqual([]);
});

describe("a copy of all tags", () => {
  const AssumeRolePolicyDocument = JSON.stringify({ Statement: [] });
  const type = "aws:iam/role:Role";

  test("with another name than that of the inputs is not adopted", async () => {
    const iam = new IAM({ region });
    await iam.createRole({ RoleName: "prod", AssumeRolePolicyDocument, Tags: listOf(own) });
    expect(await adopted(resource(type, { name: "myeks-role-1" }))).toEqual([]);
    expect(await adopted(resource(type, { namePrefix: "myeks-" }))).toEqual([]);
    expect(await adopted(resource(type, { name: "prod" }))).toEqual(["prod"]);
  });

  test("does not take the place of the new one while a role is replaced", async () => {
    const iam = new IAM({ region });
    const known = resource(type, { name: "myeks-role-1" }, { id: "myeks-role-1" });
    await iam.createRole({ RoleName: "myeks-role-1", AssumeRolePolicyDocument, Tags: listOf(own) });
    await iam.createRole({ RoleName: "prod", AssumeRolePolicyDocument, Tags: listOf(own) });
    expect(await adopted(resource(type, { name: "myeks-role-2" }), [known])).toEqual(["myeks-role-1"]);
    await iam.deleteRole({ RoleName: "prod" });
    await iam.createRole({ RoleName: "myeks-role-2", AssumeRolePolicyDocument, Tags: listOf(own) });
    expect(await adopted(resource(type, { name: "myeks-role-2" }), [known])).toEqual(["myeks-role-2", "myeks-role-1"]);
  });

  test("of an object without a name in its inputs is not adopted while that is replaced", async () => {
    const ec2 = new EC2({ region });
    const TagSpecifications = [{ ResourceType: "elastic-ip" as const, Tags: listOf(own) }];
    const { AllocationId } = await ec2.allocateAddress({ Domain: "vpc", TagSpecifications });
    const eip = "aws:ec2/eip:Eip";
    const known = resource(eip, { domain: "vpc" }, { id: "eipalloc-1" });
    expect(await adopted(resource(eip, { domain: "vpc", tags: own }), [known])).toEqual(["eipalloc-1"]);
    expect(await adopted(resource(eip, { domain: "vpc" }))).toEqual([AllocationId]);
  });

  test("a node group of another cluster is not adopted", async () => {
    const eks = new EKS({ region });
    const [roleArn, subnets] = ["arn:aws:iam::123456789012:role/x", ["subnet-1"]];
    for (const name of ["myeks", "other"]) {
      await eks.createCluster({
        name,
        roleArn,
        resourcesVpcConfig: { subnetIds: [] },
        tags: { "eks-gpu-lab/id": idOf(name) },
      });
    }
    await eks.createNodegroup({ clusterName: "other", nodegroupName: "gpu-1", nodeRole: roleArn, subnets, tags: own });
    const create = resource("aws:eks/nodeGroup:NodeGroup", { clusterName: "myeks", nodeGroupName: "gpu-1" });
    expect(await adopted(create)).toEqual([]);
  });
});

describe("a state of an earlier version, without ids", () => {
  const tags = { ...stackTags("gpu-lab", "thing"), Name: "myeks-VPC" };
  const ofEarlier = (create: object) => adopted(create, [], []);

  test("a VPC of another stack with the same tags is not adopted, neither alone nor beside the own one", async () => {
    const ec2 = new EC2({ region });
    const TagSpecifications = [{ ResourceType: "vpc" as const, Tags: listOf(tags) }];
    const create = resource("aws:ec2/vpc:Vpc", { cidrBlock: "10.0.0.0/16", tags });
    await ec2.createVpc({ CidrBlock: "10.0.0.0/16", TagSpecifications });
    expect(await ofEarlier(create)).toEqual([]);
    await ec2.createVpc({ CidrBlock: "10.0.0.0/16", TagSpecifications });
    expect(await ofEarlier(create)).toEqual([]);
  });

  test("a role is adopted by its name, if it is the only one", async () => {
    const iam = new IAM({ region });
    const create = resource("aws:iam/role:Role", { namePrefix: "myeks-node-" });
    const Role = { AssumeRolePolicyDocument: JSON.stringify({ Statement: [] }), Tags: listOf(tags) };
    await iam.createRole({ RoleName: "myeks-node-1", ...Role });
    expect(await ofEarlier(create)).toEqual(["myeks-node-1"]);
    await iam.createRole({ RoleName: "myeks-node-2", ...Role });
    expect(await ofEarlier(create)).toEqual([]);
  });
});
