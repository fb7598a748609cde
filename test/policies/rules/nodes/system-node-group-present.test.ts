import { expect, test } from "vitest";
import { managedNodeGroup, nodeGroup, nodeGroupV2, scalingGroup } from "../../../../policies/facts/node-sources";
import { systemNodeGroupPresent as rule } from "../../../../policies/rules/nodes/system-node-group-present";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const awsCluster = "aws:eks/cluster:Cluster";
const cluster = resource(awsCluster, { version: "1.35" }, { name: "cluster" });
const addon = (addonName: unknown, more: object = {}) =>
  resource("aws:eks/addon:Addon", { addonName, ...more }, { name: `addon-${String(addonName)}` });
const coredns = addon("coredns");
const hard = { key: "nvidia.com/gpu", effect: "NO_SCHEDULE" };
const critical = { key: "CriticalAddonsOnly", value: "true", effect: "NO_SCHEDULE" };
const group = (desiredSize: unknown, taints?: unknown, name = "group") =>
  resource(nodeGroup, { scalingConfig: { desiredSize }, taints }, { name });

test.for([
  ["system nodes", [cluster, coredns, group(2)], []],
  ["system nodes with GPU nodes", [cluster, coredns, group(0, [hard], "gpu"), group(1)], []],
  ["a soft taint keeps no pod away", [cluster, coredns, group(1, [{ ...hard, effect: "PREFER_NO_SCHEDULE" }])], []],
  ["add-ons that need no node", [cluster, addon("vpc-cni"), addon("kube-proxy")], []],
  ["the cluster is made elsewhere", [coredns, group(0)], []],
  ["it tolerates", [cluster, addon("coredns", { configurationValues: '{"tolerations":[]}' }), group(1, [hard])], []],
  ["a size that is not set", [cluster, coredns, resource(managedNodeGroup, { instanceTypes: ["t3.medium"] })], []],
  ["for critical add-ons alone, which it tolerates", [cluster, coredns, group(2, [critical])], []],
  ["for critical add-ons, by eviction", [cluster, coredns, group(2, [{ ...critical, effect: "NO_EXECUTE" }])], []],
  ["drivers of volumes tolerate it too", [cluster, addon("aws-ebs-csi-driver"), group(2, [critical])], []],
  ["another add-on does not", [cluster, addon("metrics-server"), group(2, [critical])], ["fail addonName"]],
  ["and another taint with it", [cluster, coredns, group(2, [critical, hard])], ["fail addonName"]],
  ["for critical add-ons alone, but empty", [cluster, coredns, group(0, [critical])], ["fail addonName"]],
  ["its key unknown", [cluster, coredns, group(2, [{ ...critical, key: unknown }])], ["unknown taints[0].key"]],
  [
    "its key unknown, to another add-on",
    [cluster, addon("metrics-server"), group(2, [{ ...critical, key: unknown }])],
    ["fail addonName"],
  ],
  ["its effect unknown, tolerated anyway", [cluster, coredns, group(2, [{ ...critical, effect: unknown }])], []],
  [
    "the effect of another taint unknown",
    [cluster, coredns, group(2, [{ ...hard, effect: unknown }])],
    ["unknown taints[0].effect"],
  ],
  ["no group at all", [cluster, coredns], ["fail addonName"]],
  ["only tainted ones", [cluster, coredns, group(2, [hard])], ["fail addonName"]],
  ["only empty ones", [cluster, coredns, group(0)], ["fail addonName"]],
  ["one of each", [cluster, coredns, group(0), group(2, [hard], "gpu")], ["fail addonName"]],
  ["two add-ons", [cluster, coredns, addon("metrics-server"), group(0)], ["fail addonName", "fail addonName"]],
  ["a component that shows nothing", [cluster, coredns, resource(managedNodeGroup, {})], ["fail addonName"]],
  ["size unknown", [cluster, coredns, group(unknown)], ["unknown scalingConfig.desiredSize"]],
  ["size unknown, tainted", [cluster, coredns, group(unknown, [hard])], ["fail addonName"]],
  ["taints unknown", [cluster, coredns, group(1, unknown)], ["unknown taints"]],
  ["taints unknown with system nodes", [cluster, coredns, group(1, unknown), group(1, [], "system")], []],
  ["add-on unknown", [cluster, addon(unknown), group(0)], ["unknown addonName"]],
  [
    "its values unknown",
    [cluster, addon("coredns", { configurationValues: unknown }), group(0)],
    ["unknown configurationValues"],
  ],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test.for([
  [awsCluster, { computeConfig: { enabled: true } }, []],
  [awsCluster, { computeConfig: unknown }, ["unknown computeConfig"]],
  ["eks:index:Cluster", { autoMode: { enabled: true }, skipDefaultNodeGroup: true }, []],
  ["eks:index:Cluster", { version: "1.35" }, []],
  ["eks:index:Cluster", { skipDefaultNodeGroup: true }, ["fail addonName"]],
  ["eks:index:Cluster", { skipDefaultNodeGroup: unknown }, ["unknown skipDefaultNodeGroup"]],
  ["eks:index:Cluster", { autoMode: { enabled: true }, skipDefaultNodeGroup: unknown }, []],
  ["eks:index:Cluster", {}, ["fail addonName"]],
] as const)("a cluster that may bring nodes: %s %j", ([type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties), coredns])).toEqual(expected);
});

test.for(["aws:eks/fargateProfile:FargateProfile", scalingGroup, nodeGroupV2, "eks:index:NodeGroup"])(
  "%s may take the pods",
  (type) => {
    expect(verdicts(rule, [cluster, coredns, resource(type, {})])).toEqual([]);
  },
);

test("the add-ons can be configured, and one be exempt", () => {
  const judged = (configured: object) =>
    verdicts(rule, [cluster, coredns], { policyConfig: { [rule.id]: configured } });
  expect(judged({ addons: ["metrics-server"] })).toEqual([]);
  expect(judged({ exempt: ["addon-*"] })).toEqual([]);
  expect(judged({ addons: ["coredns"] })).toEqual(["fail addonName"]);
});

test("messages, without a secret", () => {
  const values = addon("coredns", { configurationValues: "hunter2" });
  const message = (...more: Parameters<typeof findings>[1]) => findings(rule, [cluster, values, ...more])[0]?.message;
  expect(message()).toMatchInlineSnapshot(`
    "addonName: got coredns, and no node group. The pods of the add-on find no node. It stays DEGRADED, and the update fails after 20 minutes.
    fix: add a node group without taints and with a desired size of 1 or more, and let the add-on depend on it"
  `);
  expect(message(group(0))).toMatchInlineSnapshot(`
    "addonName: got coredns, and only node groups that have taints or start with 0 nodes. The pods of the add-on find no node. It stays DEGRADED, and the update fails after 20 minutes.
    fix: add a node group without taints and with a desired size of 1 or more, and let the add-on depend on it"
  `);
});

test.for([
  "coredns",
  "metrics-server",
  "external-dns",
  "cert-manager",
  "kube-state-metrics",
  "aws-ebs-csi-driver",
  "aws-efs-csi-driver",
])("%s waits for a node", (name) => {
  expect(verdicts(rule, [cluster, addon(name), group(2, [hard])])).toEqual(["fail addonName"]);
});

test.for(["coredns", "aws-ebs-csi-driver", "aws-efs-csi-driver"])("%s runs with critical add-ons", (name) => {
  expect(verdicts(rule, [cluster, addon(name), group(2, [critical])])).toEqual([]);
});

test("a component that shows nothing is no node group to speak of", () => {
  const message = (...groups: Parameters<typeof findings>[1]) =>
    findings(rule, [cluster, coredns, ...groups])[0]?.message;
  const noGroup = resource(managedNodeGroup, {});
  expect(message(noGroup)).toContain("coredns, and no node group.");
  expect(message(group(0), noGroup)).toBe(message(group(0)));
  expect(message(group(0))).not.toBe(message());
});

test("a taint by eviction keeps pods off too", () => {
  expect(verdicts(rule, [cluster, coredns, group(2, [{ ...hard, effect: "NO_EXECUTE" }])])).toEqual(["fail addonName"]);
});
