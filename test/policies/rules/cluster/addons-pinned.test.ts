import { expect, test } from "vitest";
import { addonsPinned as rule } from "../../../../policies/rules/cluster/addons-pinned";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const addon = "aws:eks/addon:Addon";
const several = "eks-gpu-lab:index:ClusterAddons";
const agent = "eks-gpu-lab:index:NodeMonitoringAgent";
const dns = { addonName: "coredns" };
const version = "v1.13.2-eksbuild.31";

test.for([
  ["a version", addon, { ...dns, addonVersion: version }, []],
  ["no text", addon, { ...dns, addonVersion: 1 }, []],
  ["no version", addon, dns, ["fail addonVersion"]],
  ["an empty version", addon, { ...dns, addonVersion: " " }, ["fail addonVersion"]],
  ["a word", addon, { ...dns, addonVersion: "latest" }, ["fail addonVersion"]],
  ["unknown version", addon, { ...dns, addonVersion: unknown }, ["unknown addonVersion"]],
  ["several, all stated", several, { addons: { coredns: { version }, "vpc-cni": { version } } }, []],
  ["several, one not", several, { addons: { coredns: {}, "vpc-cni": { version } } }, ["fail addons"]],
  ["several, unknown", several, { addons: unknown }, ["unknown addons"]],
  ["several, one unknown", several, { addons: { coredns: { version: unknown } } }, ["unknown addons.coredns.version"]],
  [
    "several, one of a name of one's own unknown, which the path has to tell",
    several,
    { addons: { hunter2: { version: unknown } } },
    ["unknown addons.hunter2.version"],
  ],
  [
    "several, one unknown and one not stated",
    several,
    { addons: { coredns: { version: unknown }, "vpc-cni": {} } },
    ["fail addons"],
  ],
  [
    "several unknown, in the order of their names",
    several,
    { addons: { "vpc-cni": { version: unknown }, coredns: { version: unknown }, metrics: { version: unknown } } },
    ["unknown addons.coredns.version, addons.metrics.version, addons.vpc-cni.version"],
  ],
  ["none", several, { addons: {} }, []],
  ["the agent", agent, { version }, []],
  ["the agent, no version", agent, { clusterName: "myeks" }, ["fail version"]],
  ["the agent without inputs", agent, {}, ["unknown version"]],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("parameters", () => {
  const said = (type: string, properties: object, config: object) =>
    verdicts(rule, [resource(type, { ...properties })], { policyConfig: { [rule.id]: config } });
  expect(said(addon, dns, { names: ["vpc-cni"] })).toEqual([]);
  expect(said(addon, dns, { names: ["coredns"] })).toEqual(["fail addonVersion"]);
  expect(said(addon, { addonName: unknown }, { names: ["coredns"] })).toEqual(["unknown addonName"]);
  expect(said(several, { addons: { coredns: {} } }, { names: ["vpc-cni"] })).toEqual([]);
  expect(said(agent, { clusterName: "x" }, { names: ["vpc-cni"] })).toEqual([]);
  expect(said(agent, { clusterName: "x" }, { names: ["eks-node-monitoring-agent"] })).toEqual(["fail version"]);
  expect(said(addon, dns, { exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [
    resource(addon, { addonName: "hunter2" }),
    resource(several, { addons: { hunter2: { version: "" } } }),
  ]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (type: string, properties: Record<string, unknown>) =>
    findings(rule, [resource(type, properties)])[0]?.message;
  expect(message(addon, dns)).toMatchInlineSnapshot(`
    "addonVersion: got nothing. EKS then installs its current default version, and a later update can install another one.
    fix: set addonVersion to the running version: aws eks describe-addon shows it"
  `);
  expect(message(several, { addons: { "vpc-cni": {}, coredns: {}, other: {} } })).toMatchInlineSnapshot(`
    "addons: got no version of coredns, vpc-cni. EKS then installs its current default version, and a later update can install another one.
    fix: set addons to the running version: aws eks describe-addon shows it"
  `);
  expect(message(several, { addons: { coredns: {}, "vpc-cni": { version } } })).toContain("got no version of coredns.");
  expect(message(several, { addons: { other: {} } })?.split(". ")[0]).toMatchInlineSnapshot(
    `"addons: got no version of 1"`,
  );
});
