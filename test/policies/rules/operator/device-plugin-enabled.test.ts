import { describe, expect, test } from "vitest";
import { experimentToggleLeftOn } from "../../../../policies/rules/experiments/experiment-toggle-left-on";
import { devicePluginEnabled as rule } from "../../../../policies/rules/operator/device-plugin-enabled";
import { oneGpuDevicePlugin } from "../../../../policies/rules/pods/one-gpu-device-plugin";
import { faultOn, now } from "../../support/lab-fault";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const component = "eks-gpu-lab:index:GpuOperator";
const release = "kubernetes:helm.sh/v3:Release";
const chartV3 = "kubernetes:helm.sh/v3:Chart";
const chartV4 = "kubernetes:helm.sh/v4:Chart";
const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";
const chart = "gpu-operator";
const off = { enabled: false };
const env = (value: unknown) => ({ devicePlugin: { env: [{ name: "FAIL_ON_INIT_ERROR", value }] } });

test.for([
  ["on", release, { chart, values: { devicePlugin: { enabled: true } } }, []],
  ["nothing said: on", release, { chart }, []],
  ["null: on", release, { chart, values: { devicePlugin: { enabled: null } } }, []],
  ["neither true nor false", release, { chart, values: { devicePlugin: { enabled: "no" } } }, []],
  ["another chart", release, { chart: "prometheus", values: { devicePlugin: off } }, []],
  ["off", release, { chart, values: { devicePlugin: off } }, ["fail values.devicePlugin.enabled"]],
  [
    "as a text",
    release,
    { chart, values: { devicePlugin: { enabled: "false" } } },
    ["fail values.devicePlugin.enabled"],
  ],
  ["off, a chart of the SDK", chartV3, { chart, values: { devicePlugin: off } }, ["fail values.devicePlugin.enabled"]],
  ["off, of the provider", chartV4, { chart, values: { devicePlugin: off } }, ["fail values.devicePlugin.enabled"]],
  ["off in a ClusterPolicy", clusterPolicy, { spec: { devicePlugin: off } }, ["fail spec.devicePlugin.enabled"]],
  ["off in the component", component, { devicePlugin: false }, ["fail devicePlugin"]],
  [
    "off in the component's free values",
    component,
    { devicePlugin: true, values: { devicePlugin: off } },
    ["fail values.devicePlugin.enabled"],
  ],
  ["on in the component", component, { devicePlugin: true }, []],
  ["the component without inputs", component, {}, []],
  [
    "unknown switch",
    release,
    { chart, values: { devicePlugin: { enabled: unknown } } },
    ["unknown values.devicePlugin.enabled"],
  ],
  ["unknown values", release, { chart, values: unknown }, ["unknown values"]],
  ["unknown chart", release, { chart: unknown, values: { devicePlugin: off } }, ["unknown chart"]],
  ["unknown chart, all on", release, { chart: unknown }, []],
  ["a switch of this name in the Release is none", release, { chart, devicePlugin: false, dcgmExporter: false }, []],
  ["NFD off in a chart of the SDK", chartV3, { chart, values: { nfd: off } }, ["advise values.nfd.enabled"]],
  ["no exporter, ClusterPolicy", clusterPolicy, { spec: { dcgmExporter: off } }, ["advise spec.dcgmExporter.enabled"]],
  ["unknown argument", component, { devicePlugin: unknown }, ["unknown devicePlugin"]],
  ["unknown argument of the exporter", component, { dcgmExporter: unknown }, ["unknown dcgmExporter"]],
  [
    "unknown switch in a ClusterPolicy",
    clusterPolicy,
    { spec: { devicePlugin: { enabled: unknown } } },
    ["unknown spec.devicePlugin.enabled"],
  ],
  [
    "exporter unknown in a ClusterPolicy",
    clusterPolicy,
    { spec: { dcgmExporter: { enabled: unknown } } },
    ["unknown spec.dcgmExporter.enabled"],
  ],
  [
    "exporter unknown",
    release,
    { chart, values: { dcgmExporter: { enabled: unknown } } },
    ["unknown values.dcgmExporter.enabled"],
  ],
  ["NFD unknown", release, { chart, values: { nfd: { enabled: unknown } } }, ["unknown values.nfd.enabled"]],
  ["NFD unknown in a ClusterPolicy", clusterPolicy, { spec: { nfd: { enabled: unknown } } }, []],
  ["exporter off", release, { chart, values: { dcgmExporter: off } }, ["advise values.dcgmExporter.enabled"]],
  ["exporter off in the component", component, { dcgmExporter: false }, ["advise dcgmExporter"]],
  ["NFD off", release, { chart, values: { nfd: off } }, ["advise values.nfd.enabled"]],
  ["NFD is no matter of a ClusterPolicy", clusterPolicy, { spec: { nfd: off } }, []],
  ["init errors hidden", release, { chart, values: env("false") }, ["advise values.devicePlugin.env"]],
  ["init errors shown", release, { chart, values: env("true") }, []],
  ["another variable", release, { chart, values: { devicePlugin: { env: [{ name: "X", value: "false" }] } } }, []],
  ["init errors unknown", release, { chart, values: env(unknown) }, ["unknown values.devicePlugin.env[0].value"]],
  [
    "plugin off, exporter unknown",
    release,
    { chart, values: { devicePlugin: off, dcgmExporter: { enabled: unknown } } },
    ["fail values.devicePlugin.enabled"],
  ],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("its lab may bring it about, while the fault is on", () => {
  const options = { stack: "my-lab", now, config: { ...faultOn, "eks-gpu-lab:lab": "device-plugin" } };
  expect(verdicts(rule, [resource(component, { devicePlugin: false })], options)).toEqual([]);
  const values = { chart, values: { devicePlugin: off } };
  expect(verdicts(rule, [resource(release, values)], options)).toEqual([]);
  expect(verdicts(rule, [resource(component, { devicePlugin: false })], { ...options, config: {} })).toEqual([
    "fail devicePlugin",
  ]);
});

test("the component is blamed, not the Release that it makes", () => {
  const parent = resource(component, { devicePlugin: false, dcgmExporter: false }, { name: "operator" });
  const urn = urnOf(`${component}$${release}`, "operator");
  const made = resource(
    release,
    { chart, values: { devicePlugin: off, dcgmExporter: off } },
    { urn, parent: parent.urn },
  );
  expect([...new Set(findings(rule, [parent, made]).map((finding) => finding.urn))]).toEqual([parent.urn]);
});

test("what the Release alone says it is blamed for", () => {
  const parent = resource(component, { devicePlugin: true }, { name: "operator" });
  const urn = urnOf(`${component}$${release}`, "operator");
  const made = resource(release, { chart, values: env("false") }, { urn, parent: parent.urn });
  expect(verdicts(rule, [parent, made])).toEqual(["advise values.devicePlugin.env"]);
  const switched = resource(release, { chart, values: { devicePlugin: off } }, { urn, parent: parent.urn });
  expect(verdicts(rule, [parent, switched])).toEqual(["fail values.devicePlugin.enabled"]);
});

describe("with another device plugin", () => {
  const installed = (reference: unknown, values?: unknown) =>
    resource(release, { chart: reference, values }, { name: "other" });
  const set = (image: unknown) =>
    resource(
      "kubernetes:apps/v1:DaemonSet",
      { spec: { template: { spec: { containers: [{ image }] } } } },
      { name: "set" },
    );
  const image = "nvcr.io/nvidia/k8s-device-plugin:v0.19.0";
  const leavesGpus = { resources: { gpus: { enabled: false } } };

  test.for([
    ["a Release", installed("nvidia-device-plugin"), []],
    ["a Release from a repository", installed("nvdp/nvidia-device-plugin"), []],
    ["a chart", resource(chartV3, { chart: "nvidia-device-plugin" }, { name: "other" }), []],
    ["a DaemonSet", set(image), []],
    ["NVIDIA's DRA driver", installed("nvidia-dra-driver-gpu"), []],
    ["NVIDIA's DRA driver under its newer name", installed("dra-driver-nvidia-gpu"), []],
    ["a DaemonSet of the DRA driver", set("nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.0"), []],
    ["a DRA driver that leaves GPUs alone", installed("nvidia-dra-driver-gpu", leavesGpus), ["fail"]],
    ["another chart", installed("prometheus"), ["fail"]],
    ["another DaemonSet", set("nvcr.io/nvidia/k8s/dcgm-exporter:4.4.2"), ["fail"]],
    ["a chart without inputs", resource(chartV4, {}, { name: "other" }), ["fail"]],
    ["an unknown chart", installed(unknown), ["unknown"]],
    ["an unknown image", set(unknown), ["unknown"]],
    ["a DRA driver with unknown values", installed("nvidia-dra-driver-gpu", unknown), ["unknown"]],
  ] as const)("the operator's may be off: %s", ([, other, expected]) => {
    const said = (type: string, properties: Record<string, unknown>) =>
      verdicts(rule, [resource(type, properties), other]).map((verdict) => verdict.split(" ")[0]);
    expect(said(release, { chart, values: { devicePlugin: off } })).toEqual(expected);
    expect(said(clusterPolicy, { spec: { devicePlugin: off } })).toEqual(expected);
    expect(said(component, { devicePlugin: false })).toEqual(expected);
    expect(said(component, { values: { devicePlugin: off } })).toEqual(expected);
  });

  const operators = [
    ["a Release", (enabled: unknown) => resource(release, { chart, values: { devicePlugin: { enabled } } })],
    ["a chart", (enabled: unknown) => resource(chartV3, { chart, values: { devicePlugin: { enabled } } })],
    ["a ClusterPolicy", (enabled: unknown) => resource(clusterPolicy, { spec: { devicePlugin: { enabled } } })],
    ["the component", (enabled: unknown) => resource(component, { devicePlugin: enabled })],
    ["the component's values", (enabled: unknown) => resource(component, { values: { devicePlugin: { enabled } } })],
  ] as const;
  const both = (...resources: Parameters<typeof verdicts>[1]) =>
    [rule, oneGpuDevicePlugin, experimentToggleLeftOn].flatMap((one) =>
      verdicts(one, resources, { stack: "prod" }).map((said) => `${one.id}: ${said.split(" ")[0]}`),
    );
  test.for(operators)("exactly one of the two is asked for: %s", ([, operator]) => {
    for (const other of [installed("nvidia-device-plugin"), installed("nvidia-dra-driver-gpu"), set(image)]) {
      expect(both(operator(true), other)).toEqual(["one-gpu-device-plugin: fail"]);
      expect(both(operator(undefined), other)).toEqual(["one-gpu-device-plugin: fail"]);
      expect(both(operator(false), other)).toEqual([]);
    }
    expect(both(operator(true))).toEqual([]);
    expect(both(operator(false))).toEqual(["device-plugin-enabled: fail"]);
  });
});

test("an operator of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [resource(component, { devicePlugin: false })], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const values = {
    devicePlugin: {
      enabled: false,
      env: [
        { name: "FAIL_ON_INIT_ERROR", value: "false" },
        { name: "hunter2", value: "hunter2" },
      ],
    },
  };
  const said = findings(rule, [resource(release, { chart: "hunter2/gpu-operator", values })]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("a pack that knows no labs does not ask for one", () => {
  const policyConfig = { [rule.id]: { labStacks: [] } };
  const [said] = findings(rule, [resource(component, { devicePlugin: false })], { policyConfig });
  expect(said?.message.split("\n")[1]).toMatchInlineSnapshot(
    `"fix: set devicePlugin to true, or add another device plugin to this stack"`,
  );
});

test("messages", () => {
  const values = { devicePlugin: { ...off, ...env("false").devicePlugin }, dcgmExporter: off, nfd: off };
  const messages = findings(rule, [resource(release, { chart, values })]).map(({ message }) => message);
  expect(messages).toMatchInlineSnapshot(`
    [
      "values.devicePlugin.enabled: got false. The ClusterPolicy stays ready, but every node advertises 0 nvidia.com/gpu and pods with a GPU limit stay Pending.
    fix: set values.devicePlugin.enabled to true, or add another device plugin to this stack, or inject it with the lab device-plugin, whose fault has an end date",
      "values.dcgmExporter.enabled: got false. Without it, there are no GPU metrics: dashboards and alerts that use them have no data.
    fix: set values.dcgmExporter.enabled to true",
      "values.nfd.enabled: got false. Without Node Feature Discovery, nodes do not get the labels that the operator's DaemonSets select, unless you run it yourself.
    fix: set values.nfd.enabled to true",
      "values.devicePlugin.env: got FAIL_ON_INIT_ERROR false. A device plugin that finds no GPU then waits forever instead of failing visibly.
    fix: remove FAIL_ON_INIT_ERROR from values.devicePlugin.env",
    ]
  `);
});

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const gpuGroup = (amiType: unknown) => resource(nodeGroup, { instanceTypes: ["g5.xlarge"], amiType }, { name: "gpu" });
const bottlerocket = gpuGroup("BOTTLEROCKET_x86_64_NVIDIA");
const autoMode = resource("aws:eks/cluster:Cluster", { computeConfig: { enabled: true } });
const amazonLinux = resource(nodeGroup, { amiType: "AL2023_x86_64_NVIDIA" }, { name: "other" });
const system = resource(nodeGroup, { amiType: "AL2023_x86_64_STANDARD" }, { name: "system" });
const refused = ["fail values.devicePlugin.enabled"];

test.for([
  ["Bottlerocket's image for NVIDIA", [bottlerocket], []],
  ["with nodes without a GPU", [bottlerocket, system], []],
  ["with GPU nodes of another image", [bottlerocket, amazonLinux], refused],
  ["Amazon Linux does not", [amazonLinux], refused],
  ["Bottlerocket without a GPU does not", [resource(nodeGroup, { amiType: "BOTTLEROCKET_x86_64" })], refused],
  ["EKS Auto Mode", [autoMode], []],
  ["EKS Auto Mode with another GPU group", [autoMode, amazonLinux], refused],
  ["EKS Auto Mode that is off", [resource("aws:eks/cluster:Cluster", { computeConfig: { enabled: false } })], refused],
  ["an unknown image", [gpuGroup(unknown)], ["unknown amiType"]],
] as const)("nodes that bring a device plugin: %s", ([, others, expected]) => {
  const operator = resource(release, { chart, values: { devicePlugin: off } }, { name: "operator" });
  expect(verdicts(rule, [operator, ...others])).toEqual(expected);
});
