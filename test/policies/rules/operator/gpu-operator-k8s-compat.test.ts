import { describe, expect, test } from "vitest";
import { gpuOperatorChartPinned } from "../../../../policies/rules/operator/gpu-operator-chart-pinned";
import {
  chartRow,
  gpuOperatorK8sCompat as rule,
  rowFor,
} from "../../../../policies/rules/operator/gpu-operator-k8s-compat";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const component = "eks-gpu-lab:index:GpuOperator";
const release = "kubernetes:helm.sh/v3:Release";
const chartV4 = "kubernetes:helm.sh/v4:Chart";
const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";

const cluster = (version: unknown) => resource("aws:eks/cluster:Cluster", { version }, { name: "cluster" });
const operator = (version: unknown) => resource(release, { chart: "gpu-operator", version }, { name: "operator" });

test.for([
  ["v26.3.1", "1.35", []],
  ["26.3.1", "1.35", []],
  ["v26.3.0", "1.32", []],
  ["v26.3.2", "1.36", []],
  ["v26.3.1-rc.1", "1.35", []],
  ["v25.10.1", "1.34", []],
  ["v26.3.1", "1.36", ["fail version"]],
  ["v26.3.0", "1.31", ["fail version"]],
  ["v25.10.1", "1.35", ["fail version"]],
  ["v26.7.0", "1.32", ["fail version"]],
  ["v99.1.0", "1.35", ["fail version"]],
  ["v1.11.0", "1.35", ["fail version"]],
  // No exact version, or none of Kubernetes: other rules say so.
  ["latest", "1.35", []],
  ["26.3", "1.36", []],
  [undefined, "1.36", []],
  ["v26.3.1", undefined, []],
  ["v26.3.1", "newest", []],
  ["v26.3.1", 1.36, []],
  [unknown, "1.35", ["unknown version"]],
  ["v26.3.1", unknown, ["unknown version"]],
] as const)("chart %j on Kubernetes %j", ([version, kubernetes, expected]) => {
  expect(verdicts(rule, [cluster(kubernetes), operator(version)])).toEqual(expected);
});

describe("where the versions come from", () => {
  test.for([
    ["no cluster", [operator("v1.0.0")], []],
    ["of @pulumi/eks", [resource("eks:index:Cluster", { version: "1.36" }), operator("v26.3.1")], ["fail version"]],
    ["a cluster of @pulumi/eks as the engine shows it", [resource("eks:index:Cluster", {}), operator("v26.3.1")], []],
    [
      "the component's cluster",
      [resource("eks-gpu-lab:index:EksCluster", { kubernetesVersion: "1.36" }), operator("v26.3.1")],
      ["fail version"],
    ],
    [
      "the component's cluster, version unknown",
      [resource("eks-gpu-lab:index:EksCluster", { kubernetesVersion: unknown }), operator("v26.3.1")],
      ["unknown kubernetesVersion"],
    ],
    [
      "a node group, where the cluster is elsewhere",
      [resource("aws:eks/nodeGroup:NodeGroup", { version: "1.36" }), operator("v26.3.1")],
      ["fail version"],
    ],
    [
      "a cluster that says nothing, and its node groups",
      [
        resource("aws:eks/cluster:Cluster", {}),
        resource("aws:eks/nodeGroup:NodeGroup", { version: "1.36" }),
        operator("v26.3.1"),
      ],
      ["fail version"],
    ],
    [
      "a node group of @pulumi/eks",
      [resource("eks:index:ManagedNodeGroup", { version: "1.36" }), operator("v26.3.1")],
      ["fail version"],
    ],
    [
      "a cluster before its node groups",
      [cluster("1.35"), resource("aws:eks/nodeGroup:NodeGroup", { version: "1.36" }), operator("v26.3.1")],
      [],
    ],
    ["another chart", [cluster("1.36"), resource(release, { chart: "prometheus", version: "26.3.1" })], []],
    [
      "an archive",
      [cluster("1.36"), resource(release, { chart: "https://x.example/gpu-operator-v26.3.1.tgz" })],
      ["fail chart"],
    ],
    ["a chart without inputs", [cluster("1.36"), resource(chartV4, {})], []],
    [
      "a ClusterPolicy",
      [cluster("1.36"), resource(clusterPolicy, { metadata: { labels: { "helm.sh/chart": "gpu-operator-v26.3.1" } } })],
      ['fail metadata.labels["helm.sh/chart"]'],
    ],
    ["unknown chart", [cluster("1.36"), resource(release, { chart: unknown, version: "v26.3.1" })], ["unknown chart"]],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });

  test("the component is blamed, not the Release that it makes", () => {
    const operators = (version: string) => [
      resource(component, { chartVersion: "26.3.1" }, { name: "operator" }),
      resource(release, { chart: "gpu-operator", version }, { urn: urnOf(`${component}$${release}`, "operator") }),
    ];
    expect(verdicts(rule, [cluster("1.36"), ...operators("v26.3.1")])).toEqual(["fail chartVersion"]);
    expect(verdicts(rule, [cluster("1.35"), ...operators("v25.10.0")])).toEqual(["fail version"]);
  });
});

test("two unknown versions are not the same one", () => {
  const operators = [
    resource(component, { chartVersion: unknown }, { name: "operator" }),
    resource(
      release,
      { chart: "gpu-operator", version: unknown },
      { urn: urnOf(`${component}$${release}`, "operator"), name: "release" },
    ),
  ];
  const names = findings(rule, [cluster("1.36"), ...operators]).map(({ name, verdict }) => [name, verdict]);
  expect(names).toEqual([
    ["operator", "unknown"],
    ["release", "unknown"],
  ]);
});

test("other ranges", () => {
  const policyConfig = { [rule.id]: { ranges: ["99.1.0: 1.34 - 1.40"] } };
  expect(verdicts(rule, [cluster("1.36"), operator("v99.1.5")], { policyConfig })).toEqual([]);
  expect(verdicts(rule, [cluster("1.41"), operator("v99.1.5")], { policyConfig })).toEqual(["fail version"]);
  expect(verdicts(rule, [cluster("1.35"), operator("v26.3.1")], { policyConfig })).toEqual(["fail version"]);
});

test.for(["1.32", "1.33", "1.34", "1.35", "1.36", "1.37"])(
  "the chart it names for Kubernetes %s fits",
  (kubernetes) => {
    const [said] = findings(rule, [cluster(kubernetes), operator("v99.1.0")]);
    const version = /fix: install (v[\d.]+),/.exec(said?.message ?? "")?.[1];
    expect(verdicts(rule, [cluster(kubernetes), operator(version)])).toEqual([]);
    // Nobody has tried a chart for the newest Kubernetes.
    if (kubernetes === "1.37") return;
    expect(verdicts(gpuOperatorChartPinned, [resource(component, { chartVersion: version })])).toEqual([]);
  },
);

test("of a row that the library does not know it names the first chart", () => {
  const policyConfig = { [rule.id]: { ranges: ["99.1.0: 1.34 - 1.40"] } };
  const [said] = findings(rule, [cluster("1.36"), operator("v26.3.1")], { policyConfig });
  expect(said?.message).toContain("fix: install v99.1.0 or a later chart of its series, or");
});

test("an operator of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["operator"] } };
  expect(verdicts(rule, [cluster("1.36"), operator("v26.3.1")], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [cluster("1.36"), operator("26.3.1-hunter2")]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (kubernetes: string, version: string) =>
    findings(rule, [cluster(kubernetes), operator(version)])[0]?.message.replace(/install v[\d.]+/, "install CHART");
  expect(message("1.36", "v26.3.1")).toMatchInlineSnapshot(`
    "version: got "v26.3.1". NVIDIA supports charts from v26.3.0 on Kubernetes 1.32 to 1.35. The cluster runs 1.36.
    fix: install CHART, or check NVIDIA's support matrix and add a row to "ranges" in the policy configuration"
  `);
  expect(message("1.35", "v99.1.0")).toMatchInlineSnapshot(`
    "version: got "v99.1.0". The Kubernetes versions that this chart series supports are not known. The cluster runs 1.35.
    fix: install CHART, or check NVIDIA's support matrix and add a row to "ranges" in the policy configuration"
  `);
  expect(message("1.50", "v26.3.1")).toMatchInlineSnapshot(`
    "version: got "v26.3.1". NVIDIA supports charts from v26.3.0 on Kubernetes 1.32 to 1.35. The cluster runs 1.50.
    fix: change the Kubernetes version, or check NVIDIA's support matrix and add a row to "ranges" in the policy configuration"
  `);
});

const rangeFrom = (from: readonly [number, number, number], first = 32, last = 35) => ({ from, first, last });

test.for([
  ["26.3.0: 1.32 - 1.35", rangeFrom([26, 3, 0])],
  ["v26.3.0: 1.32 - 1.35", rangeFrom([26, 3, 0])],
  ["26.3.0:1.32-1.35", rangeFrom([26, 3, 0])],
  [" 26.3.0 : 1.32 - 1.35 ", rangeFrom([26, 3, 0])],
  ["26.12.10: 1.9 - 1.105", rangeFrom([26, 12, 10], 9, 105)],
  ["26.3.0-rc.1: 1.32 - 1.35", rangeFrom([26, 3, 0])],
  ["from 26.3.0: 1.32 - 1.35", undefined],
  ["x26.3.0: 1.32 - 1.35", undefined],
  ["26.3.0x: 1.32 - 1.35", undefined],
  ["26.3: 1.32 - 1.35", undefined],
  ["26.3.0: 1.32 - 1.35, and more", undefined],
  ["26.3.0: 1.32 - 1.35.1", undefined],
  ["26.3.0: 2.32 - 1.35", undefined],
  ["not a row", undefined],
  ["", undefined],
] as const)("the range of %j: %j", ([text, expected]) => {
  expect(chartRow(text)).toEqual(expected);
});

const sorted = [rangeFrom([26, 3, 2], 32, 36), rangeFrom([26, 3, 0]), rangeFrom([25, 3, 9]), rangeFrom([26, 7, 0])];
test.for([
  ["v26.3.0", sorted[1]],
  ["26.3.1", sorted[1]],
  ["v26.3.2", sorted[0]],
  ["v26.3.10", sorted[0]],
  ["v26.3.2-rc.1", sorted[0]],
  ["v25.3.8", "none"],
  ["v25.3.10", sorted[2]],
  ["v24.3.9", "none"],
  ["v26.9.0", "none"],
  ["26.3", undefined],
  ["x26.3.1", undefined],
  ["26.3.1x", undefined],
  [">=26.3.1", undefined],
] as const)("the row of %s", ([version, expected]) => {
  expect(rowFor(version, sorted)).toEqual(expected);
  expect(rowFor(version, sorted.toReversed())).toEqual(expected);
});
