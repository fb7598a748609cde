import { describe, expect, test } from "vitest";
import { gpuHealth, gpuHealthEngines } from "../../../../components/gpu/health/gpu-health";
import { oneDcgmEngine as rule } from "../../../../policies/rules/health/one-dcgm-engine";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const release = "kubernetes:helm.sh/v3:Release";
const chartV4 = "kubernetes:helm.sh/v4:Chart";
const clusterPolicy = "kubernetes:nvidia.com/v1:ClusterPolicy";

const agent = (configurationValues?: unknown, addonName: unknown = "eks-node-monitoring-agent") =>
  resource(
    "aws:eks/addon:Addon",
    { addonName, ...(configurationValues !== undefined && { configurationValues }) },
    { name: "agent" },
  );
const operator = (values?: unknown, more = {}) =>
  resource(release, { chart: "gpu-operator", values, ...more }, { name: "operator" });
const exporterOf = (value?: unknown, more = {}) => ({
  dcgmExporter: { env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value }], ...more },
});
const remote = exporterOf("localhost:5555", { hostNetwork: true });
const away = { nodeSelector: { "on-no-node": "true" } };
const blind = { monitors: { nvidia: { enabled: false } } };
const withoutEngine = JSON.stringify({ dcgmAgent: away, nodeAgent: blind });
const named = { nodeAgent: { dcgmAddress: "nvidia-dcgm.gpu-operator.svc:5555" } };
const switchedOff = JSON.stringify({ ...named, dcgmAgent: { enabled: false } });
const exporter = "fail values.dcgmExporter.env";
const dcgm = "fail values.dcgm.enabled";

test.for(gpuHealthEngines)("the library's choice %s", (engine) => {
  const { operatorValues, addonConfiguration } = gpuHealth({ engine, taints: [] });
  expect(verdicts(rule, [agent(JSON.stringify(addonConfiguration)), operator(operatorValues)])).toEqual([]);
});

test.for([
  ["the exporter reads the agent's engine", [agent(), operator(remote)], []],
  ["no exporter", [agent(), operator({ dcgmExporter: { enabled: false } })], []],
  ["no agent", [operator({ dcgm: { enabled: true } })], []],
  ["another add-on", [agent(undefined, "coredns"), operator({})], []],
  ["another chart", [agent(), resource(release, { chart: "prometheus" })], []],
  ["the agent's engine is kept away", [agent(withoutEngine), operator({ dcgm: { enabled: true } })], []],
  ["the operator as it comes: an engine in the exporter", [agent(), operator({})], [exporter]],
  ["no values", [agent(), operator()], [exporter]],
  ["another variable", [agent(), operator({ dcgmExporter: { env: [{ name: "X", value: "y" }] } })], [exporter]],
  ["an engine of the operator", [agent(), operator({ dcgm: { enabled: true } })], [dcgm]],
  ["the operator's engine, another is read", [agent(), operator({ ...remote, dcgm: { enabled: true } })], [dcgm]],
  ["labels, but the monitor is on", [agent(JSON.stringify({ dcgmAgent: away })), operator({})], [exporter]],
  ["no labels, the monitor is off", [agent(JSON.stringify({ nodeAgent: blind })), operator({})], [exporter]],
  ["labels", [agent(JSON.stringify({ dcgmAgent: { nodeSelector: {} }, nodeAgent: blind })), operator({})], [exporter]],
  ["unknown switch", [agent(), operator({ ...remote, dcgm: { enabled: unknown } })], ["unknown values.dcgm.enabled"]],
  ["unknown variables", [agent(), operator({ dcgmExporter: { env: unknown } })], ["unknown values.dcgmExporter.env"]],
  [
    "unknown name of a variable",
    [agent(), operator({ dcgmExporter: { env: [{ name: unknown, value: "y" }] } })],
    ["unknown values.dcgmExporter.env[0].name"],
  ],
  ["unknown values", [agent(), operator(unknown)], ["unknown values"]],
  ["unknown configuration", [agent(unknown), operator({})], ["unknown configurationValues"]],
  ["unknown configuration, one engine anyway", [agent(unknown), operator(remote)], []],
  ["configuration in YAML", [agent("dcgmAgent:\n  tolerations: []"), operator({})], [exporter]],
  ["the engine switched off in YAML", [agent("dcgmAgent: {enabled: false}"), operator({})], []],
  ["what EKS refuses runs nothing", [agent("not json {"), operator({ dcgm: { enabled: true } })], []],
  ["the agent's engine is switched off", [agent(switchedOff), operator({ dcgm: { enabled: true } })], []],
  ["the agent's engine is switched off, exporter alone", [agent(switchedOff), operator({})], []],
  ["switched on, another one named", [agent(JSON.stringify(named)), operator({ dcgm: { enabled: true } })], [dcgm]],
  ["kept away, another one named", [agent(JSON.stringify({ ...named, dcgmAgent: away })), operator({})], []],
  [
    "kept away, but the node itself named",
    [agent(JSON.stringify({ nodeAgent: { dcgmAddress: "localhost:5555" }, dcgmAgent: away })), operator({})],
    [exporter],
  ],
  [
    "unknown switch of the agent's engine",
    [agent(unknown), operator({ dcgm: { enabled: true } })],
    ["unknown configurationValues"],
  ],
  ["unknown add-on", [agent(undefined, unknown), operator({})], ["unknown addonName"]],
  ["unknown chart", [agent(), operator({}, { chart: unknown })], ["unknown chart"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

describe("an exporter that finds no engine", () => {
  const network = "values.dcgmExporter.hostNetwork";
  const variable = "values.dcgmExporter.env";
  test.for([
    ["localhost on the node", exporterOf("localhost:5555", { hostNetwork: true }), []],
    ["localhost, hostNetwork as a text", exporterOf("localhost:5555", { hostNetwork: "true" }), []],
    ["another address", exporterOf("$(NODE_IP):5555"), []],
    ["a Service", exporterOf("nvidia-dcgm.gpu-operator:5555"), []],
    ["no exporter", { dcgmExporter: { ...exporterOf("").dcgmExporter, enabled: false } }, []],
    ["an empty address", exporterOf(""), [`fail ${variable}`]],
    ["an empty address on the node", exporterOf("", { hostNetwork: true }), [`fail ${variable}`]],
    ["blanks", exporterOf("  "), [`fail ${variable}`]],
    ["no address", exporterOf(), [`fail ${variable}`]],
    ["localhost in the pod", exporterOf("localhost:5555"), [`fail ${network}`]],
    ["localhost in the pod, said", exporterOf("127.0.0.1:5555", { hostNetwork: false }), [`fail ${network}`]],
    ["the pod by IPv6", exporterOf("[::1]:5555"), [`fail ${network}`]],
    ["the pod by IPv6, bare", exporterOf("::1"), [`fail ${network}`]],
    ["localhost after a blank", exporterOf(" localhost:5555"), [`fail ${network}`]],
    ["a name that ends like it", exporterOf("my-localhost:5555"), []],
    ["a name that begins like it", exporterOf("localhost.example:5555"), []],
    ["unknown address", exporterOf(unknown, { hostNetwork: true }), [`unknown ${variable}[0].value`]],
    ["unknown network", exporterOf("localhost:5555", { hostNetwork: unknown }), [`unknown ${network}`]],
    ["unknown network, another address", exporterOf("$(NODE_IP):5555", { hostNetwork: unknown }), []],
  ] as const)("%s", ([, values, expected]) => {
    expect(verdicts(rule, [agent(), operator(values)])).toEqual(expected);
    expect(verdicts(rule, [operator(values)])).toEqual(expected);
  });
});

describe("other ways to install the operator", () => {
  test.for([
    ["a chart of the provider", chartV4, { chart: "gpu-operator" }, [exporter]],
    ["a chart of the provider as the engine shows it", chartV4, {}, ["unknown chart"]],
    ["an empty ClusterPolicy: the operator turns DCGM on", clusterPolicy, { spec: {} }, ["fail spec.dcgm.enabled"]],
    ["a ClusterPolicy that reads the agent's", clusterPolicy, { spec: { dcgm: { enabled: false }, ...remote } }, []],
  ] as const)("%s", ([, type, properties, expected]) => {
    expect(verdicts(rule, [agent(), resource(type, properties)])).toEqual(expected);
  });

  test("the component is left to its Release", () => {
    const component = (health: string) => resource("eks-gpu-lab:index:GpuOperator", { health }, { name: "operator" });
    expect(verdicts(rule, [agent(), component("operator")])).toEqual([]);
    const said = findings(rule, [agent(), component("node-monitor"), operator({})]);
    expect(said.map(({ urn }) => urn)).toEqual([operator().urn]);
  });
});

describe("a second exporter or agent from its chart", () => {
  const chart = (name: unknown, values?: unknown, more = {}) =>
    resource(release, { chart: name, values, ...more }, { name: "second" });
  const env = ["fail values.extraEnv"];
  const elsewhere = [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "nvidia-dcgm.gpu-operator:5555" }];
  test.for([
    ["the exporter's chart alone", [chart("dcgm-exporter")], []],
    ["with another chart", [chart("dcgm-exporter"), operator({}, { chart: "prometheus" })], []],
    ["with an operator without one", [chart("dcgm-exporter"), operator({ dcgmExporter: { enabled: false } })], []],
    ["with another engine", [agent(), chart("dcgm-exporter", { extraEnv: elsewhere })], []],
    ["set by an argument", [agent(), chart("dcgm-exporter", { arguments: ["-r", "10.0.0.1:5555"] })], []],
    ["set by a long argument", [agent(), chart("dcgm-exporter", { arguments: ["--remote-hostengine-info=a:1"] })], []],
    ["with the agent", [agent(), chart("nvidia/dcgm-exporter")], env],
    ["with the agent, other arguments", [agent(), chart("dcgm-exporter", { arguments: ["-f", "a-r", "-rx"] })], env],
    ["with the operator's exporter", [operator({}), chart("dcgm-exporter")], env],
    ["with the operator's engine", [operator({ dcgm: { enabled: true } }), chart("dcgm-exporter")], env],
    ["unknown variables", [agent(), chart("dcgm-exporter", { extraEnv: unknown })], ["unknown values.extraEnv"]],
    ["unknown arguments", [agent(), chart("dcgm-exporter", { arguments: unknown })], ["unknown values.arguments"]],
    ["an unknown chart", [agent(), chart(unknown)], ["unknown chart"]],
    ["value files", [agent(), chart("dcgm-exporter", {}, { valueYamlFiles: [{}] })], ["unknown valueYamlFiles[0]"]],
    [
      "an engine in a string asset",
      [agent(), chart("dcgm-exporter", {}, { valueYamlFiles: [{ text: JSON.stringify({ extraEnv: elsewhere }) }] })],
      [],
    ],
    ["no files", [agent(), chart("dcgm-exporter", {}, { valueYamlFiles: [] })], env],
    ["the agent's chart", [chart("eks-node-monitoring-agent"), operator({})], [exporter]],
    ["the agent's chart, off", [chart("eks-node-monitoring-agent", JSON.parse(switchedOff)), operator({})], []],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });

  test("message", () => {
    expect(findings(rule, [agent(), chart("dcgm-exporter")])[0]?.message).toMatchInlineSnapshot(`
      "values.extraEnv: got no DCGM_REMOTE_HOSTENGINE_INFO. dcgm-exporter runs its own DCGM engine in addition to the engine of the GPU Operator or of eks-node-monitoring-agent. They conflict on profiling counters, and metrics are missing.
      fix: remove it, because the GPU Operator has an exporter, or add the variable DCGM_REMOTE_HOSTENGINE_INFO with the address of the other engine to values.extraEnv"
    `);
  });
});

describe("a second exporter in a DaemonSet", () => {
  const set = (container: object, more = {}) =>
    resource(
      "kubernetes:apps/v1:DaemonSet",
      {
        spec: {
          template: { spec: { containers: [{ image: "nvcr.io/nvidia/k8s/dcgm-exporter:4.4.2", ...container }] } },
        },
      },
      { name: "set", ...more },
    );
  const at = "spec.template.spec.containers";
  const chart = resource(release, { chart: "dcgm-exporter" }, { name: "chart" });
  test.for([
    ["alone", [set({})], []],
    ["with the agent", [agent(), set({})], [`fail ${at}`]],
    ["with the operator's exporter", [operator({}), set({})], [`fail ${at}`]],
    ["another image", [agent(), set({ image: "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04" })], []],
    ["the agent's by a variable", [agent(), set({ env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "x:1" }] })], []],
    ["the agent's engine by an argument", [agent(), set({ args: ["-r", "$(NODE_IP):5555"] })], []],
    ["the agent's engine in the command", [agent(), set({ command: ["dcgm-exporter", "-r", "$(NODE_IP):5555"] })], []],
    ["in the exporter's chart", [agent(), chart, set({}, { parent: chart.urn })], ["fail values.extraEnv"]],
    ["unknown arguments", [agent(), set({ args: unknown })], [`unknown ${at}[0].args`]],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });
});

test("an operator of a name that is exempt is left alone", () => {
  expect(verdicts(rule, [agent(), operator({})], { policyConfig: { [rule.id]: { exempt: ["operator"] } } })).toEqual(
    [],
  );
});

test("a secret is not printed", () => {
  const values = { dcgm: { enabled: "hunter2" }, dcgmExporter: { env: [{ name: "hunter2", value: "hunter2" }] } };
  const said = findings(rule, [agent('{"hunter2":1}'), operator(values)]);
  expect(said.map(({ verdict }) => verdict)).toEqual(["fail"]);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (values: object) => findings(rule, [agent(), operator(values)])[0]?.message;
  expect(message(exporterOf(""))).toMatchInlineSnapshot(`
    "values.dcgmExporter.env: got DCGM_REMOTE_HOSTENGINE_INFO without an address. The exporter then has no DCGM engine, so there are no GPU metrics.
    fix: set DCGM_REMOTE_HOSTENGINE_INFO to the address of the engine, localhost:5555 for eks-node-monitoring-agent, or remove it"
  `);
  expect(message(exporterOf("localhost:5555"))).toMatchInlineSnapshot(`
    "values.dcgmExporter.hostNetwork: got nothing. DCGM_REMOTE_HOSTENGINE_INFO is localhost, which means the pod of the exporter. No DCGM engine listens there, so there are no GPU metrics.
    fix: set values.dcgmExporter.hostNetwork to true"
  `);
  expect(message({})).toMatchInlineSnapshot(`
    "values.dcgmExporter.env: got no DCGM_REMOTE_HOSTENGINE_INFO. The exporter runs its own DCGM engine in addition to dcgm-server of eks-node-monitoring-agent. They conflict on profiling counters, and metrics are missing.
    fix: set dcgm.enabled to false, dcgmExporter.hostNetwork to true and the variable DCGM_REMOTE_HOSTENGINE_INFO of dcgmExporter to localhost:5555 (GpuOperator: health "node-monitor"), or disable the engine of eks-node-monitoring-agent: dcgmAgent.enabled false (before version 1.7.1 a dcgmAgent.nodeSelector that matches no node) and nodeAgent.monitors.nvidia.enabled false"
  `);
  expect(message({ dcgm: { enabled: true } })).toMatchInlineSnapshot(`
    "values.dcgm.enabled: got true. The DaemonSet nvidia-dcgm runs a second DCGM engine in addition to dcgm-server of eks-node-monitoring-agent. They conflict on profiling counters and port 5555, and the agent reports a false error.
    fix: set dcgm.enabled to false, dcgmExporter.hostNetwork to true and the variable DCGM_REMOTE_HOSTENGINE_INFO of dcgmExporter to localhost:5555 (GpuOperator: health "node-monitor"), or let eks-node-monitoring-agent use the operator's engine: dcgmAgent.enabled false, nodeAgent.dcgmAddress nvidia-dcgm.gpu-operator.svc:5555 and nodeAgent.dnsPolicy ClusterFirstWithHostNet (from version 1.7.1)"
  `);
});
