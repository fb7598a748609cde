import { describe, expect, test } from "vitest";
import { unknownSentinel } from "../../../../components/core/wire";
import { ingressRule } from "../../../../simulation/aws/network/security-groups";
import { types } from "../../../../simulation/aws/types";
import { changesOf } from "../../../../simulation/cloud/changes";
import type { SimulatedCloud } from "../../../../simulation/cloud/simulated-cloud";
import { answer, makeNetwork, newCloud, newCloudWithEks, put } from "../support";

async function makeGroups(cloud: SimulatedCloud) {
  const { vpc, subnet } = await makeNetwork(cloud);
  const group = (name: string) => cloud.create(types.securityGroup, { vpcId: vpc.id, name, description: "Nodes" });
  return { vpc, subnet, nodes: await group("nodes"), others: await group("others") };
}

describe("groups", () => {
  test.for([
    [{ name: "nodes" }, "done"],
    [{ namePrefix: "nodes-" }, "done"],
    [{ name: "default" }, "InvalidParameterValue: Cannot use reserved security group name: default"],
    [{ name: "sg-nodes" }, "InvalidParameterValue: Cannot use reserved security group name: sg-nodes"],
    [{ vpcId: "vpc-0" }, "InvalidVpcID.NotFound: The vpc ID 'vpc-0' does not exist"],
    [
      { vpcId: undefined },
      "VPCIdNotSpecified: No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.",
    ],
    [
      { description: "Knoten für Übungen" },
      "InvalidParameterValue: Value (Knoten für Übungen) for parameter GroupDescription is invalid. Character sets beyond ASCII are not supported.",
    ],
    [
      { ingress: [{ protocol: "-1", securityGroups: ["sg-0"] }] },
      "InvalidGroup.NotFound: The security group 'sg-0' does not exist",
    ],
  ] as const)("%o: %s", async ([inputs, expected]) => {
    const cloud = newCloud();
    const { vpc } = await makeNetwork(cloud);
    const create = cloud.create(types.securityGroup, { vpcId: vpc.id, description: "Nodes", ...inputs });
    expect(await answer(create)).toBe(expected);
  });

  test("the provider completes a prefix", async () => {
    const cloud = newCloud();
    const { vpc } = await makeNetwork(cloud);
    const group = await cloud.create(types.securityGroup, { vpcId: vpc.id, namePrefix: "nodes-", description: "N" });
    expect(group.computed).toMatchObject({
      name: "nodes-20260101000000000000000004",
      arn: `arn:aws:ec2:ap-northeast-2:123456789012:security-group/${group.id}`,
    });
  });

  test("a group name is unique per VPC", async () => {
    const cloud = newCloud();
    const { vpc } = await makeGroups(cloud);
    const other = await cloud.create(types.vpc, { cidrBlock: "10.1.0.0/16" });
    const create = (vpcId: string) =>
      answer(cloud.create(types.securityGroup, { vpcId, name: "nodes", description: "" }));
    expect(await create(vpc.id)).toBe(
      `InvalidGroup.Duplicate: The security group 'nodes' already exists for VPC '${vpc.id}'`,
    );
    expect(await create(other.id)).toBe("done");
  });

  test("a group cannot be deleted while a rule of another group refers to it; its own rules are deleted with it", async () => {
    const cloud = newCloud();
    const { nodes, others } = await makeGroups(cloud);
    const rule = { ipProtocol: "-1", securityGroupId: nodes.id };
    await cloud.create(types.ingressRule, { ...rule, referencedSecurityGroupId: nodes.id });
    await cloud.create(types.ingressRule, { ...rule, referencedSecurityGroupId: others.id });
    expect(await answer(cloud.delete(types.securityGroup, others.id))).toBe(
      `DependencyViolation: resource ${others.id} has a dependent object`,
    );
    expect(await answer(cloud.delete(types.securityGroup, nodes.id))).toBe("done");
    expect(cloud.find(types.ingressRule)).toEqual([]);
    expect(await answer(cloud.delete(types.securityGroup, others.id))).toBe("done");
  });

  test("the same holds for inline rules of another group, but not for its own", async () => {
    const cloud = newCloud();
    const { nodes, others } = await makeGroups(cloud);
    const from = (id: string) => ({ ...nodes.inputs, ingress: [{ protocol: "-1", securityGroups: [id] }] });
    await cloud.update(types.securityGroup, nodes.id, from(others.id));
    expect(await answer(cloud.delete(types.securityGroup, others.id))).toContain("DependencyViolation");
    await cloud.update(types.securityGroup, nodes.id, from(nodes.id));
    expect(await answer(cloud.delete(types.securityGroup, nodes.id))).toBe("done");
  });

  test.for([
    ["a node", types.instance, (id: string) => ({ vpcSecurityGroupIds: [id] }), "rejected"],
    ["a control plane", types.cluster, (id: string) => ({ vpcConfig: { securityGroupIds: [id] } }), "rejected"],
    ["a launch template alone", types.launchTemplate, (id: string) => ({ vpcSecurityGroupIds: [id] }), "done"],
  ] as const)("deleting a group that %s has", async ([, type, inputs, expected]) => {
    const cloud = newCloudWithEks();
    const { nodes } = await makeGroups(cloud);
    put(cloud, type, "user", inputs(nodes.id));
    const rejected = `DependencyViolation: resource ${nodes.id} has a dependent object`;
    expect(await answer(cloud.delete(types.securityGroup, nodes.id))).toBe(expected === "rejected" ? rejected : "done");
  });

  test("managing the default group replaces its rules; the group remains afterwards", async () => {
    const cloud = newCloud();
    const { vpc } = await makeNetwork(cloud);
    const id = String(vpc.computed["defaultSecurityGroupId"]);
    const managed = await cloud.create(types.defaultSecurityGroup, { vpcId: vpc.id, ingress: [], egress: [] });
    expect(managed).toMatchObject({ id, computed: { name: "default" } });
    expect(cloud.get(types.securityGroup, id)?.inputs).toMatchObject({ ingress: [], egress: [] });
    await cloud.delete(types.defaultSecurityGroup, id);
    expect(cloud.get(types.securityGroup, id)?.inputs).toMatchObject({ name: "default", ingress: [], egress: [] });
    expect(await answer(cloud.delete(types.securityGroup, id))).toBe(
      `CannotDelete: the specified group: "${id}" name: "default" cannot be deleted by a user`,
    );
  });
});

describe("rules", () => {
  const https = { ipProtocol: "tcp", fromPort: 443, toPort: 443 };

  test.for([
    ["the same again", { cidrIpv4: "10.0.0.0/16", description: "other words" }, true],
    ["another range", { cidrIpv4: "10.1.0.0/16" }, false],
    ["another port", { cidrIpv4: "10.0.0.0/16", toPort: 444 }, false],
  ] as const)("next to a rule, %s", async ([, inputs, taken]) => {
    const cloud = newCloud();
    const { nodes } = await makeGroups(cloud);
    const create = (more: object) =>
      answer(cloud.create(types.ingressRule, { securityGroupId: nodes.id, ...https, ...more }));
    expect(await create({ cidrIpv4: "10.0.0.0/16" })).toBe("done");
    const duplicate =
      'InvalidPermission.Duplicate: the specified rule "peer: 10.0.0.0/16, TCP, from port: 443, to port: 443, ALLOW" already exists';
    expect(await create(inputs)).toBe(taken ? duplicate : "done");
    expect(await answer(cloud.create(types.egressRule, { securityGroupId: nodes.id, ...https, ...inputs }))).toBe(
      "done",
    );
  });

  test("rules for all protocols are equal regardless of ports", async () => {
    const cloud = newCloud();
    const { nodes } = await makeGroups(cloud);
    const rule = { securityGroupId: nodes.id, ipProtocol: "-1", referencedSecurityGroupId: nodes.id };
    await cloud.create(types.ingressRule, rule);
    expect(await answer(cloud.create(types.ingressRule, { ...rule, fromPort: 0, toPort: 0 }))).toBe(
      `InvalidPermission.Duplicate: the specified rule "peer: ${nodes.id}, ALL, ALLOW" already exists`,
    );
  });

  test("an update cannot make two rules equal", async () => {
    const cloud = newCloud();
    const { nodes } = await makeGroups(cloud);
    const rule = { securityGroupId: nodes.id, ...https };
    await cloud.create(types.ingressRule, { ...rule, cidrIpv4: "10.0.0.0/16" });
    const second = await cloud.create(types.ingressRule, { ...rule, cidrIpv4: "10.1.0.0/16" });
    const change = (inputs: object) => answer(cloud.update(types.ingressRule, second.id, { ...rule, ...inputs }));
    expect(await change({ cidrIpv4: "10.0.0.0/16" })).toContain("InvalidPermission.Duplicate");
    expect(await change({ cidrIpv4: "10.1.0.0/16", description: "words" })).toBe("done");
  });

  test.for([
    [{ ...https, securityGroupId: "sg-0" }, "InvalidGroup.NotFound: The security group 'sg-0' does not exist"],
    [
      { ...https, referencedSecurityGroupId: "sg-0" },
      "InvalidGroup.NotFound: The security group 'sg-0' does not exist",
    ],
    [
      { ipProtocol: "tcp", fromPort: 443, cidrIpv4: "0.0.0.0/0" },
      "InvalidParameterValue: Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.",
    ],
    [
      { ...https, cidrIpv4: "0.0.0.0/0", description: "“HTTPS”" },
      "InvalidParameterValue: Invalid rule description. Valid descriptions are strings less than 256 characters from the following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*",
    ],
  ] as const)("%o: %s", async ([inputs, expected]) => {
    const cloud = newCloud();
    const { nodes } = await makeGroups(cloud);
    const create = cloud.create(types.ingressRule, { securityGroupId: nodes.id, ...inputs });
    expect(await answer(create)).toBe(expected);
  });

  test("a rule can refer only to groups of its VPC", async () => {
    const cloud = newCloud();
    const { nodes } = await makeGroups(cloud);
    const { others } = await makeGroups(cloud);
    const rule = { ...https, securityGroupId: nodes.id, referencedSecurityGroupId: others.id };
    expect(await answer(cloud.create(types.ingressRule, rule))).toBe(
      "InvalidGroup.NotFound: You have specified two resources that belong to different networks.",
    );
  });

  test("a group has at most sixty rules per direction", async () => {
    const cloud = newCloud();
    const { nodes } = await makeGroups(cloud);
    const rule = (port: number) => ({
      securityGroupId: nodes.id,
      ipProtocol: "udp",
      fromPort: port,
      toPort: port,
      cidrIpv4: "0.0.0.0/0",
    });
    for (let port = 1; port <= 60; port += 1) await cloud.create(types.ingressRule, rule(port));
    expect(await answer(cloud.create(types.ingressRule, rule(61)))).toBe(
      "RulesPerSecurityGroupLimitExceeded: The maximum number of rules per security group has been reached.",
    );
    expect(await answer(cloud.create(types.egressRule, rule(61)))).toBe("done");
  });

  test.for([
    ["a range of one's own", { cidrIpv4: "10.0.0.0/16" }, []],
    ["a range that is unknown", { cidrIpv4: unknownSentinel }, []],
    ["a group", { referencedSecurityGroupId: "sg-1" }, []],
    ["no peer", {}, ["cidrIpv4"]],
    ["both", { cidrIpv4: "10.0.0.0/16", referencedSecurityGroupId: "sg-1" }, ["cidrIpv4"]],
    ["no range", { cidrIpv4: "ten" }, ["cidrIpv4"]],
  ] as const)("the provider checks a rule for %s", ([, inputs, expected]) => {
    expect(ingressRule.check?.(inputs).map(({ property }) => property)).toEqual(expected);
  });

  test("the provider suggests the valid CIDR block", () => {
    expect(ingressRule.check?.({ cidrIpv4: "10.0.0.1/16" })).toEqual([
      { property: "cidrIpv4", reason: '"10.0.0.1/16" is not a valid CIDR block; did you mean "10.0.0.0/16"?' },
    ]);
  });

  test("another kind of peer replaces the rule, another peer of the same kind does not", () => {
    const replaced = (news: object) =>
      changesOf(ingressRule, { ...https, cidrIpv4: "10.0.0.0/16" }, { ...https, ...news }).some(
        ({ replaces }) => replaces,
      );
    expect(replaced({ cidrIpv4: "10.1.0.0/16" })).toBe(false);
    expect(replaced({ cidrIpv4: "10.0.0.0/16", toPort: 444 })).toBe(false);
    expect(replaced({ referencedSecurityGroupId: "sg-1" })).toBe(true);
  });
});
