import { expect, test } from "vitest";
import { securityPathsOf } from "../../../planner/draw/security-paths";
import { indexOf } from "../../../planner/facts/resource-index";
import { unknownSentinel as unknown } from "../../../components/core/wire";
import { recordingOf, type ResourceSpec } from "../recordings";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const cluster: ResourceSpec = { type: "eks:index:Cluster", name: "cluster", remote: true };
const nodes: ResourceSpec = { type: "aws:ec2/securityGroup:SecurityGroup", name: "nodes" };
const template: ResourceSpec = {
  type: "aws:ec2/launchTemplate:LaunchTemplate",
  name: "template",
  inputs: { vpcSecurityGroupIds: [unknown] },
  from: { vpcSecurityGroupIds: ["nodes"] },
};
const group: ResourceSpec = {
  type: nodeGroup,
  name: "gpu",
  inputs: { launchTemplate: { id: unknown } },
  from: { launchTemplate: ["template"] },
};

function rule(inputs: Record<string, unknown>, source?: string): ResourceSpec {
  return {
    type: "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    name: `rule-${JSON.stringify(inputs)}-${source ?? ""}`,
    inputs: { ipProtocol: "tcp", ...inputs },
    from: { securityGroupId: ["nodes"], ...(source !== undefined && { referencedSecurityGroupId: [source] }) },
  };
}

function oldRule(inputs: Record<string, unknown>, source?: string): ResourceSpec {
  return {
    type: "aws:ec2/securityGroupRule:SecurityGroupRule",
    name: `old-${JSON.stringify(inputs)}`,
    inputs: { type: "ingress", protocol: "tcp", ...inputs },
    from: { securityGroupId: ["nodes"], ...(source !== undefined && { sourceSecurityGroupId: [source] }) },
  };
}

function pathsOf(specs: readonly ResourceSpec[]): string[] {
  const index = indexOf(recordingOf(specs));
  return securityPathsOf(index, index.ofType(nodeGroup), ["10.0.0.0/16"]).map(
    ({ kind, state, ports, cidr }) => `${kind} ${state} ${ports}${cidr === undefined ? "" : ` from ${cidr}`}`,
  );
}

const blocked = "node-to-node blocked tcp 32768-60999";

test.for([
  ["no rule at all", [], [blocked]],
  [
    "ephemeral ports of nodes",
    [rule({ fromPort: 1025, toPort: 65535 }, "nodes")],
    ["node-to-node open tcp 1025-65535"],
  ],
  ["a range that ends too early for NCCL", [rule({ fromPort: 1025, toPort: 50000 }, "nodes")], [blocked]],
  ["the ports, the wrong protocol", [rule({ ipProtocol: "udp", fromPort: 0, toPort: 65535 }, "nodes")], [blocked]],
  ["only DNS among nodes", [rule({ fromPort: 53, toPort: 53 }, "nodes")], [blocked]],
  ["everything among nodes", [rule({ ipProtocol: "-1" }, "nodes")], ["node-to-node open all"]],
  ["all from the VPC", [rule({ ipProtocol: "-1", cidrIpv4: "10.0.0.0/16" })], ["vpc-wide open all from 10.0.0.0/16"]],
  ["all from more", [rule({ ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" })], ["vpc-wide open all from 0.0.0.0/0"]],
  ["a block outside the VPC", [rule({ ipProtocol: "-1", cidrIpv4: "172.16.0.0/12" })], [blocked]],
  ["a block that is not known yet", [rule({ ipProtocol: "-1", cidrIpv4: unknown })], [blocked]],
  ["a block that is none", [rule({ ipProtocol: "-1", cidrIpv4: "the office" })], [blocked]],
  [
    "one port from the VPC",
    [rule({ fromPort: 22, toPort: 22, cidrIpv4: "10.0.0.0/16" })],
    [blocked, "vpc-wide open tcp 22 from 10.0.0.0/16"],
  ],
  [
    "ports of the control plane, in numeric order",
    [
      rule({ fromPort: 10250, toPort: 10250 }, "cluster"),
      rule({ fromPort: 443, toPort: 443 }, "cluster"),
      rule({ ipProtocol: "udp", fromPort: 53, toPort: 53 }, "cluster"),
    ],
    ["control-plane open tcp 443, 10250; udp 53", blocked],
  ],
  ["an older rule with self", [oldRule({ fromPort: 0, toPort: 65535, self: true })], ["node-to-node open tcp 0-65535"]],
  [
    "an older, cluster rule",
    [oldRule({ fromPort: 443, toPort: 443 }, "cluster")],
    ["control-plane open tcp 443", blocked],
  ],
  ["an older egress rule", [oldRule({ type: "egress", fromPort: 0, toPort: 65535, self: true })], [blocked]],
  [
    "an older rule with blocks",
    [oldRule({ fromPort: 0, toPort: 65535, cidrBlocks: ["10.0.0.0/8"] })],
    ["vpc-wide open tcp 0-65535 from 10.0.0.0/8"],
  ],
] as const)("%s", ([, rules, paths]) => {
  expect(pathsOf([cluster, nodes, template, group, ...rules])).toEqual(paths);
});

test("rules inside the group count, too", () => {
  const inline: ResourceSpec = {
    ...nodes,
    inputs: {
      ingress: [
        { protocol: "-1", self: true },
        { protocol: "tcp", fromPort: 10250, toPort: 10250, securityGroups: [unknown] },
      ],
    },
    from: { ingress: ["cluster"] },
  };
  expect(pathsOf([cluster, inline, template, group])).toEqual([
    "control-plane open tcp 10250",
    "node-to-node open all",
  ]);
});

test("groups may stand on the template's network interfaces", () => {
  const onInterface = { ...template, inputs: { networkInterfaces: [{}] }, from: { networkInterfaces: ["nodes"] } };
  expect(pathsOf([cluster, nodes, onInterface, group])).toEqual([blocked]);
});

test("without groups of its own a node gets the cluster's, which lets everything through", () => {
  const everything = ["control-plane open all", "node-to-node open all"];
  expect(pathsOf([{ type: nodeGroup, name: "gpu" }])).toEqual(everything);
  const bare: ResourceSpec = { ...template, inputs: {}, from: {} };
  expect(pathsOf([bare, group])).toEqual(everything);
});

test("nothing is said about groups that are made elsewhere", () => {
  const existing: ResourceSpec = { ...template, inputs: { vpcSecurityGroupIds: ["sg-0abc"] }, from: {} };
  expect(pathsOf([existing, group])).toEqual([]);
  expect(pathsOf([{ type: nodeGroup, name: "gpu", inputs: { launchTemplate: { id: "lt-0abc" } } }])).toEqual([]);
});

test("equal paths of several node groups are one", () => {
  const index = indexOf(recordingOf([cluster, nodes, template, group, { ...group, name: "system" }]));
  const paths = securityPathsOf(index, index.ofType(nodeGroup), []);
  expect(paths).toHaveLength(1);
  expect(paths[0]?.nodeGroups.map((urn) => urn.split("::").at(-1))).toEqual(["gpu", "system"]);
});
