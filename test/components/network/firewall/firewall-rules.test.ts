import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  firewallRules,
  trafficModes,
  type FirewallRule,
  type TrafficModes,
} from "../../../../components/network/firewall/firewall-rules";

const rulesOf = (args: Partial<TrafficModes>) => firewallRules(trafficModes(args));
const names = (args: Partial<TrafficModes>) => rulesOf(args).map((rule) => rule.name);
const without = (...removed: string[]) => names({ efa: true }).filter((name) => !removed.includes(name));

const nodeToNode = ["node-to-node", "node-efa-ingress", "node-efa-egress"];

test.for([
  [{}, { nccl: "open", nodeToNode: "open", vpcWide: "open", efa: false }],
  [{ nccl: "blocked" }, { nccl: "blocked", nodeToNode: "blocked", vpcWide: "blocked", efa: false }],
  [
    { nccl: "blocked", vpcWide: "open" },
    { nccl: "blocked", nodeToNode: "blocked", vpcWide: "open", efa: false },
  ],
  [
    { nodeToNode: "blocked", efa: true },
    { nccl: "open", nodeToNode: "blocked", vpcWide: "open", efa: true },
  ],
] as const)("%j means %j", ([args, modes]) => {
  expect(trafficModes(args)).toEqual(modes);
});

test.for([
  ["nothing, by default but EFA", { efa: true }, []],
  ["EFA rules where there is no EFA", {}, ["node-efa-ingress", "node-efa-egress"]],
  ["both ways of NCCL when it is blocked", { efa: true, nccl: "blocked" }, [...nodeToNode, "auxiliary-vpc-wide"]],
  ["node-to-node and EFA with the first switch", { efa: true, nodeToNode: "blocked" }, nodeToNode],
  ["vpc-wide with the second switch", { efa: true, vpcWide: "blocked" }, ["auxiliary-vpc-wide"]],
  ["vpc-wide if node-to-node is stated", { efa: true, nccl: "blocked", nodeToNode: "open" }, ["auxiliary-vpc-wide"]],
  ["node-to-node alone when vpc-wide is stated", { efa: true, nccl: "blocked", vpcWide: "open" }, nodeToNode],
] as const)("takes away %s, and nothing else", ([, args, removed]) => {
  expect(names(args)).toEqual(without(...removed));
});

test("blocked leaves two nodes only DNS, so the pages do not say that it blocks NCCL only", () => {
  const fromNodes = rulesOf({ efa: true, nccl: "blocked" }).filter(
    ({ direction, group, peer }) => direction === "ingress" && group !== "controlPlane" && peer !== "controlPlane",
  );
  expect(fromNodes.map(({ protocol, ports }) => [protocol, ports])).toEqual([
    ["tcp", [53, 53]],
    ["udp", [53, 53]],
  ]);
  const page = readFileSync("docs/labs/nccl-block.md", "utf8");
  expect(page).toMatch(/^- Fails: \*\*Services\*\* whose pod is on another node/m);
  for (const file of [
    "docs/labs/gpu-lab.md",
    "docs/parity.md",
    "docs/getting-started.md",
    "docs/configuration.md",
    "docs/library.md",
  ]) {
    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines.filter((line) => /nccl/i.test(line) && /nothing else|no other path/.test(line))).toEqual([]);
  }
});

describe("every rule", () => {
  const all = rulesOf({ efa: true });

  test("has a name of its own and a description EC2 takes", () => {
    expect(new Set(all.map((rule) => rule.name)).size).toBe(all.length);
    expect(all.filter((rule) => !/^[A-Za-z0-9 ._\-:/()#,@[\]+=&;{}!$*]{1,255}$/.test(rule.description))).toEqual([]);
  });

  test("is one thing: no two allow the same", () => {
    const meaning = ({ group, direction, protocol, ports, peer }: FirewallRule) =>
      JSON.stringify([group, direction, protocol, ports, peer]);
    expect(new Set(all.map(meaning)).size).toBe(all.length);
  });

  test("has ports unless it is for all protocols", () => {
    expect(all.filter((rule) => (rule.protocol === "all") !== (rule.ports === undefined))).toEqual([]);
  });
});
