import * as ec2 from "@pulumi/aws/ec2";
import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NodeFirewall } from "../../../../components/network/firewall/node-firewall";
import {
  nodeFirewallProblems,
  type NodeFirewallArgs,
} from "../../../../components/network/firewall/node-firewall-schema";
import type { RecordedResource, Recording } from "../../../../planner/record/record";
import { unknownSentinel } from "../../../../components/core/wire";
import { byName, ofType, only, plan } from "../../../support/plan";

const controlPlane = "sg-0123456789abcdef0";
const vpcCidr = "192.168.0.0/16";
const needed: NodeFirewallArgs = {
  vpcId: "vpc-0123456789abcdef0",
  vpcCidr,
  clusterName: "myeks",
  clusterSecurityGroupId: controlPlane,
};

const ingressType = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const egressType = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";

function planFirewall(args: Partial<NodeFirewallArgs> = {}): Promise<Recording> {
  return plan(() => void new NodeFirewall("firewall", { ...needed, ...args }));
}

/** A rule as the engine sees it. The groups' ids are unknown before the update, so a group is identified by what the id depends on. */
function rule(resource: RecordedResource) {
  const { inputs, propertyDependencies } = resource;
  const group = (key: string) =>
    inputs[key] === unknownSentinel ? propertyDependencies[key]?.[0]?.split("::").at(-1) : (inputs[key] as string);
  return {
    group: group("securityGroupId"),
    peer: (inputs["cidrIpv4"] as string | undefined) ?? group("referencedSecurityGroupId"),
    traffic: (["ipProtocol", "fromPort", "toPort"] as const)
      .flatMap((key) => (inputs[key] as string | number | undefined) ?? [])
      .join(" "),
  };
}

const rules = (recording: Recording, type: string) => ofType(recording, type).map(rule);

/** The groups on every node; traffic that either lets in, comes in. */
const onNodes = ["firewall", "firewall-auxiliary"];

/** What reaches a node from another one, or from any address in the VPC. */
function intoNodes(recording: Recording) {
  const into = rules(recording, ingressType).filter(({ group }) => onNodes.includes(group ?? ""));
  return {
    fromNodes: into
      .filter(({ peer }) => onNodes.includes(peer ?? "") || peer === vpcCidr)
      .map(({ traffic }) => traffic),
    fromVpc: into.filter(({ peer }) => peer?.includes("/")).map(({ traffic }) => traffic),
    fromControlPlane: into.filter(({ peer }) => peer === controlPlane).map(({ traffic }) => traffic),
  };
}

const dns = ["tcp 53 53", "udp 53 53"];
const controlPlanePorts = [443, 10250, 4443, 6443, 8443, 9443, 10251, 8082].map((port) => `tcp ${port} ${port}`);

describe("by default", async () => {
  const recording = await planFirewall();

  test("the resolved arguments reach the engine", () => {
    expect(only(recording, "eks-gpu-lab:index:NodeFirewall").inputs).toEqual({
      ...needed,
      nccl: "open",
      nodeToNode: "open",
      vpcWide: "open",
      efa: false,
      tags: {},
    });
  });

  test("two groups without rules of their own, one of them with the cluster's tag", () => {
    const groups = ofType(recording, "aws:ec2/securityGroup:SecurityGroup");
    expect(Object.fromEntries(groups.map(({ name, inputs }) => [name, inputs]))).toEqual({
      firewall: {
        namePrefix: "myeks-node-",
        description: "EKS node shared security group",
        vpcId: needed.vpcId,
        revokeRulesOnDelete: true,
        tags: { Name: "myeks-node", "kubernetes.io/cluster/myeks": "owned" },
      },
      "firewall-auxiliary": {
        namePrefix: "myeks-node-auxiliary-",
        description: "Auxiliary security group for EKS nodes, shared by system and GPU nodes",
        vpcId: needed.vpcId,
        revokeRulesOnDelete: true,
        tags: { Name: "myeks-node-auxiliary" },
      },
    });
  });

  test("every way in", () => {
    const group = "firewall";
    expect(rules(recording, ingressType).sort(byTraffic)).toEqual(
      [
        ...controlPlanePorts.map((traffic) => ({ group, peer: controlPlane, traffic })),
        ...dns.map((traffic) => ({ group, peer: group, traffic })),
        { group, peer: group, traffic: "tcp 1025 65535" },
        { group: "firewall-auxiliary", peer: vpcCidr, traffic: "-1" },
        { group: controlPlane, peer: "firewall", traffic: "tcp 443 443" },
      ].sort(byTraffic),
    );
  });

  test("every way out", () => {
    expect(rules(recording, egressType)).toEqual(
      expect.arrayContaining(onNodes.map((group) => ({ group, peer: "0.0.0.0/0", traffic: "-1" }))),
    );
    expect(rules(recording, egressType).length).toBe(2);
  });

  test("each rule is described, and is a child of the component", () => {
    const component = only(recording, "eks-gpu-lab:index:NodeFirewall");
    const all = [...ofType(recording, ingressType), ...ofType(recording, egressType)];
    expect(all.filter((resource) => !resource.inputs["description"] || resource.parent !== component.urn)).toEqual([]);
    expect(byName(recording, "firewall-node-control-plane-10250").inputs).toMatchObject({
      description: "Control plane to nodes: kubelet, and the cert-manager webhook",
    });
  });
});

function byTraffic(one: object, other: object): number {
  return JSON.stringify(one).localeCompare(JSON.stringify(other));
}

describe("NCCL", () => {
  test.for([
    ["open", {}, [...dns, "tcp 1025 65535", "-1"], ["-1"]],
    ["open with EFA", { efa: true }, [...dns, "tcp 1025 65535", "-1", "-1"], ["-1"]],
    // Why `nccl` moves both switches: with either alone the other rule still lets NCCL through.
    ["node-to-node blocked alone", { nodeToNode: "blocked" }, [...dns, "-1"], ["-1"]],
    ["vpc-wide blocked alone", { vpcWide: "blocked" }, [...dns, "tcp 1025 65535"], []],
    ["blocked", { nccl: "blocked" }, dns, []],
    ["blocked with EFA", { nccl: "blocked", efa: true }, dns, []],
    ["both switches blocked", { nodeToNode: "blocked", vpcWide: "blocked" }, dns, []],
    ["blocked, with vpc-wide open all the same", { nccl: "blocked", vpcWide: "open" }, [...dns, "-1"], ["-1"]],
  ] as const)("%s: what is left between nodes, and what is not touched", async ([, args, fromNodes, fromVpc]) => {
    const recording = await planFirewall(args);
    const into = intoNodes(recording);
    expect(into.fromNodes.sort()).toEqual([...fromNodes].sort());
    expect(into.fromVpc).toEqual(fromVpc);
    expect(into.fromControlPlane.sort()).toEqual([...controlPlanePorts].sort());
    expect(rules(recording, ingressType)).toContainEqual({
      group: controlPlane,
      peer: "firewall",
      traffic: "tcp 443 443",
    });
    for (const group of onNodes) {
      expect(rules(recording, egressType)).toContainEqual({ group, peer: "0.0.0.0/0", traffic: "-1" });
    }
  });

  test("blocked removes exactly the rules of the two switches", async () => {
    const urns = async (args: Partial<NodeFirewallArgs>) =>
      (await planFirewall({ efa: true, ...args })).resources.map((resource) => resource.urn);
    const open = await urns({});
    const blocked = await urns({ nccl: "blocked" });
    expect(blocked.filter((urn) => !open.includes(urn))).toEqual([]);
    const removed = open.filter((urn) => !blocked.includes(urn)).map((urn) => urn.split("::").at(-1));
    expect(removed.sort()).toEqual([
      "firewall-auxiliary-vpc-wide",
      "firewall-node-efa-egress",
      "firewall-node-efa-ingress",
      "firewall-node-to-node",
    ]);
  });

  test("EFA has the group allow all traffic from and to itself", async () => {
    const recording = await planFirewall({ efa: true });
    const self = { group: "firewall", peer: "firewall", traffic: "-1" };
    expect(rules(recording, ingressType)).toContainEqual(self);
    expect(rules(recording, egressType)).toContainEqual(self);
  });
});

test("nodes that depend on `ready` start after all rules and are destroyed before them", async () => {
  const recording = await plan(() => {
    const firewall = new NodeFirewall("firewall", { ...needed, efa: true });
    new ec2.PlacementGroup("nodes", { strategy: "cluster" }, { dependsOn: firewall.ready });
  });
  const all = [...ofType(recording, ingressType), ...ofType(recording, egressType)].map((resource) => resource.urn);
  expect([...byName(recording, "nodes").dependencies].sort()).toEqual(all.sort());
});

test("the ids are those of the node group and the auxiliary group", async () => {
  const recording = await plan(() => {
    const { nodeSecurityGroupId, auxiliarySecurityGroupId, securityGroupIds } = new NodeFirewall("firewall", needed);
    [nodeSecurityGroupId, auxiliarySecurityGroupId, ...securityGroupIds].forEach((id, index) => {
      new ec2.PlacementGroup(`user-${index}`, { strategy: id });
    });
  });
  const groupOf = (user: string) => byName(recording, user).dependencies.map((urn) => urn.split("::").at(-1));
  expect(["user-0", "user-1", "user-2", "user-3"].map(groupOf)).toEqual([
    ["firewall"],
    ["firewall-auxiliary"],
    ["firewall"],
    ["firewall-auxiliary"],
  ]);
});

describe("arguments", () => {
  function found(changes: object): [string, string][] {
    const problems = nodeFirewallProblems({ ...needed, ...changes });
    return problems.map(({ code, path }) => [code, path]);
  }

  const cases = [
    ["as they should be", {}, []],
    [
      "Outputs",
      {
        vpcId: pulumi.output("x"),
        vpcCidr: pulumi.output("x"),
        clusterSecurityGroupId: Promise.resolve("x"),
      },
      [],
    ],
    ["explicit toggles", { nccl: "blocked", nodeToNode: "open", vpcWide: "blocked", efa: true }, []],
    [
      "ids of other things",
      { vpcId: controlPlane, clusterSecurityGroupId: needed.vpcId },
      [
        ["not-allowed", "vpcId"],
        ["not-allowed", "clusterSecurityGroupId"],
      ],
    ],
    ["no block", { vpcCidr: "192.168.0.0" }, [["not-allowed", "vpcCidr"]]],
    ["no cluster name", { clusterName: undefined }, [["missing", "clusterName"]]],
    ["a cluster name EKS refuses", { clusterName: "my eks" }, [["not-allowed", "clusterName"]]],
    ["a cluster name that makes a group name EC2 refuses", { clusterName: "sg-lab" }, [["not-allowed", "clusterName"]]],
    [
      "unknown modes",
      { nccl: "closed", nodeToNode: true, vpcWide: null, efa: "yes" },
      [
        ["not-allowed", "nccl"],
        ["not-allowed", "nodeToNode"],
        ["not-allowed", "vpcWide"],
        ["wrong-type", "efa"],
      ],
    ],
    [
      "the tag of the node group on both",
      { tags: { "kubernetes.io/cluster/myeks": "owned" } },
      [["conflict", "tags.kubernetes.io/cluster/myeks"]],
    ],
    ["a tag AWS keeps for itself", { tags: { "aws:team": "x" } }, [["not-allowed", "tags.aws:team"]]],
    ["a tag that is not a string", { tags: { team: 1 } }, [["wrong-type", "tags.team"]]],
    ["tags that are not an object", { tags: "team" }, [["wrong-type", "tags"]]],
    ["a misspelt key", { nodeTonode: "open" }, [["unknown-key", "nodeTonode"]]],
  ] as const;

  test.for(cases)("%s", ([, changes, expected]) => expect(found(changes)).toEqual(expected));

  test("the messages have the paths of the configuration", () => {
    const problems = cases.flatMap(([, changes]) =>
      nodeFirewallProblems({ ...needed, ...changes } as NodeFirewallArgs, "firewall"),
    );
    expect(problems.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
  });

  test("property: no JSON makes the checks throw", () => {
    const keys = [...Object.keys(needed), "nccl", "nodeToNode", "vpcWide", "efa", "tags"];
    fc.assert(
      fc.property(fc.record(Object.fromEntries(keys.map((key) => [key, fc.jsonValue()]))), (args) => {
        expect(Array.isArray(nodeFirewallProblems(args as unknown as NodeFirewallArgs))).toBe(true);
      }),
    );
  });
});
