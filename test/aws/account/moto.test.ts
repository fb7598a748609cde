import { EC2 } from "@aws-sdk/client-ec2";
import { EKS } from "@aws-sdk/client-eks";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { runPreflight } from "../../../commands/preflight/preflight";
import { idOf, identityOf, makeOrphans, stackTags } from "../../commands/leftovers/support/orphans";
import { useStack } from "../../commands/leftovers/support/pulumi-stack";
import { useAws } from "../../support/aws-environment";
import { awsServer, failure } from "../../support/aws-server";
import { simulator } from "../../support/aws-simulators";
import { captured } from "../../support/cli";
import { fineAccount } from "./support/answers";

/** The preflight against moto, which has neither the quota, AWS's public parameters, add-on versions nor the simulation of policies. */

const region = "ap-northeast-2";
const moto = simulator("moto", "the preflight");

const missing = ["GetServiceQuota", "GetParameter", "DescribeAddonVersions", "SimulatePrincipalPolicy"];
const answers = Object.fromEntries(Object.entries(fineAccount).filter(([operation]) => missing.includes(operation)));
const denied = failure("UnauthorizedOperation", 403, "You are not authorized");

let endpoint = "";
beforeEach(async (context) => {
  endpoint = moto(context);
  await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
  useAws((await awsServer(answers, endpoint)).endpoint);
});

interface Check {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly problems: readonly { readonly why: string }[];
  readonly warnings: readonly string[];
}

async function preflight() {
  const args = ["--stack", "gpu-lab", "--config", 'publicAccessCidrs=["8.8.8.8/32"]', "--address", "8.8.8.8", "--json"];
  const { status, out } = await captured((console) => runPreflight(args, console));
  const document = JSON.parse(out) as { environments: { checks: Check[] }[]; notes: string[] };
  return { status, notes: document.notes, checks: document.environments.flatMap(({ checks }) => checks) };
}

test("an account with a cluster, a GPU instance and a full subnet", async () => {
  vi.stubEnv("PATH", "/nowhere");
  const [ec2, eks] = [new EC2({ region }), new EKS({ region })];
  const { Vpc: vpc } = await ec2.createVpc({ CidrBlock: "10.0.0.0/16" });
  const { Subnet: subnet } = await ec2.createSubnet({ VpcId: vpc?.VpcId, CidrBlock: "10.0.0.0/28" });
  const subnets = [subnet?.SubnetId ?? ""];
  const role = "arn:aws:iam::123456789012:role/nodes";
  await eks.createCluster({ name: "myeks", roleArn: role, resourcesVpcConfig: { subnetIds: subnets } });
  await eks.createNodegroup({
    ...{ clusterName: "myeks", nodegroupName: "myeks-gpu-1", nodeRole: role, subnets, instanceTypes: ["g5.xlarge"] },
    scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 },
  });
  await ec2.runInstances({ ImageId: "ami-12c6146b", InstanceType: "g5.xlarge", MinCount: 1, MaxCount: 1 });

  const { status, checks } = await preflight();
  const found = Object.fromEntries(checks.map((check) => [check.id, check.status]));
  expect(found).toEqual({
    ...{ zones: "ok", "gpu-type": "ok", "system-type": "ok", quota: "problem", ami: "ok", addons: "ok", admins: "ok" },
    ...{
      address: "ok",
      subnet: "problem",
      names: "skipped",
      "secrets-key": "skipped",
      "alarm-topics": "skipped",
      sizes: "ok",
    },
    ...{
      "second-groups": "ok",
      health: "ok",
      leftovers: "skipped",
      changes: "skipped",
      permissions: "ok",
      compatibility: "ok",
    },
  });
  const why = (id: string) => checks.find((check) => check.id === id)?.problems[0]?.why;
  expect(why("quota")).toContain("Instances outside this node group use 4 vCPU of it.");
  expect(why("subnet")).toContain(`${subnets[0]} has 11 free addresses. 2 more x g5.xlarge need 60`);
  expect(status).toBe(1);
});

test("a cluster that the state does not have is another person's, also with the same tag", async () => {
  useStack({ resources: [] });
  await new EKS({ region }).createCluster({
    ...{ name: "myeks", roleArn: "arn:aws:iam::123456789012:role/x", resourcesVpcConfig: {} },
    tags: stackTags("gpu-lab", "gpu-lab-cluster"),
  });
  const { checks } = await preflight();
  const names = checks.find(({ id }) => id === "names");
  expect(names?.problems.map(({ why }) => why)).toEqual([
    expect.stringMatching(/myeks exists, .* created 20.* UTC, eks-gpu-lab\/stack=.*Another person can have/),
  ]);
  // Nothing is compared with the nodes of another person.
  const skipped = checks.filter(({ status }) => status === "skipped").map(({ id }) => id);
  expect(skipped).toEqual(expect.arrayContaining(["sizes", "second-groups", "health"]));
});

test.for([
  ["its own id", idOf("myeks"), []],
  ["the id of another environment", idOf("other"), [`eks-gpu-lab/id=${idOf("other")}`]],
] as const)("a cluster that the state has, with %s", async ([, id, shown]) => {
  const type = "aws:eks/cluster:Cluster";
  const cluster = { urn: `urn:pulumi:gpu-lab::eks-gpu-lab::lab$${type}::cluster`, type, custom: true, id: "myeks" };
  useStack({ resources: [identityOf("myeks"), cluster] });
  await new EKS({ region }).createCluster({
    ...{ name: "myeks", roleArn: "arn:aws:iam::123456789012:role/x", resourcesVpcConfig: {} },
    tags: { ...stackTags("gpu-lab", "gpu-lab-cluster"), "eks-gpu-lab/id": id },
  });
  const { checks } = await preflight();
  const whys = checks.find((check) => check.id === "names")?.problems.map(({ why }) => why) ?? [];
  expect(whys).toEqual(shown.map((tag) => expect.stringContaining(tag) as string));
});

describe("what the state of the stack does not know", () => {
  const { "eks-gpu-lab/stack": stack } = stackTags("gpu-lab", "");
  const leftovers = async () => {
    const { status, checks, notes } = await preflight();
    return { exit: status, notes, ...checks.find(({ id }) => id === "leftovers") };
  };
  const urn = (type: string, name: string) => `urn:pulumi:gpu-lab::eks-gpu-lab::lab$${type}::${name}`;

  test("is a warning with id, logical name, cost and command; what the state has, and what is another's, is none", async () => {
    const { cluster, group, ec2, eks, address, nat, vpc, key } = await makeOrphans("myeks", "gpu-lab");
    const known = [cluster, `${cluster}:${group}`, nat, vpc, key];
    const resources = known.map((id) => ({ urn: urn("aws:x:X", id), type: "aws:x:X", custom: true, id }));
    useStack({ resources: [identityOf("myeks"), ...resources] });
    const second = `${cluster}-system-2027`;
    const nodeRole = "arn:aws:iam::123456789012:role/nodes";
    await eks.createNodegroup({
      ...{ clusterName: cluster, nodegroupName: second, nodeRole, subnets: ["subnet-1"] },
      tags: { ...stackTags("gpu-lab", "system"), "eks-gpu-lab/id": idOf("myeks") },
    });
    const { nodegroup } = await eks.describeNodegroup({ clusterName: cluster, nodegroupName: second });
    const { name: scaling = "" } = nodegroup?.resources?.autoScalingGroups?.[0] ?? {};
    const instanceTags = { ...stackTags("gpu-lab", "system"), "aws:autoscaling:groupName": scaling };
    await ec2.runInstances({
      ...{ ImageId: "ami-12c6146b", InstanceType: "t3.medium", MinCount: 2, MaxCount: 2 },
      TagSpecifications: [
        { ResourceType: "instance", Tags: Object.entries(instanceTags).map(([Key, Value]) => ({ Key, Value })) },
      ],
    });
    await ec2.allocateAddress({
      Domain: "vpc",
      TagSpecifications: [{ ResourceType: "elastic-ip", Tags: [{ Key: "eks-gpu-lab/stack", Value: `${stack}-2` }] }],
    });
    const { status, warnings = [], notes } = await leftovers();
    expect(status).toBe("warning");
    expect(notes).toEqual([expect.stringMatching(/^Leftovers: Not read, so there may be more: .*add-ons/)]);
    const text = warnings.join("\n");
    expect(text).toContain(
      `elastic address ${address} of NAT: it is not in the state of the stack. It costs 0.12 USD per day. If no update ` +
        // The NAT gateway of the stack uses it.
        "runs:\nnpx eks-gpu-lab leftovers --stack gpu-lab",
    );
    expect(text).toMatch(new RegExp(`^node group ${second} of system: .* It costs 2\\.50 USD per day\\.`, "m"));
    expect(text).toMatch(/^aws ec2 revoke-security-group-ingress .* && aws ec2 delete-security-group --group-id/m);
    expect(text).not.toMatch(/^instance i-/m);
    expect(warnings.filter((one) => /^(elastic address|node group)/.test(one))).toHaveLength(2);
  });

  test("is adopted where the update that created it was interrupted", async () => {
    const { address } = await makeOrphans("myeks", "gpu-lab");
    const type = "aws:ec2/eip:Eip";
    useStack({
      resources: [identityOf("myeks")],
      pending_operations: [{ type: "creating", resource: { urn: urn(type, "NAT"), type, custom: true } }] as never,
    });
    const { warnings = [] } = await leftovers();
    const warning = warnings.find((one) => one.includes(address));
    expect(warning).toMatch(/\nnpx eks-gpu-lab leftovers --stack gpu-lab --adopt$/);
  });

  test("is not known where a kind may not be read: status 2, and the reason", async () => {
    useStack({});
    useAws((await awsServer({ ...answers, DescribeInstances: () => denied }, endpoint)).endpoint);
    const { exit, status, reason } = await leftovers();
    expect([exit, status]).toEqual([2, "unread"]);
    expect(reason).toBe(
      "Not read, so there may be more: instances. npx eks-gpu-lab leftovers --stack gpu-lab says why.",
    );
  });
});
