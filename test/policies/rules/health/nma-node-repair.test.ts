import { describe, expect, test } from "vitest";
import { gpuHealth, gpuHealthEngines } from "../../../../components/gpu/health/gpu-health";
import { nmaNodeRepair as rule } from "../../../../policies/rules/health/nma-node-repair";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const taint = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" } as const;
const agent = (configuration?: unknown, addonName: unknown = "eks-node-monitoring-agent") => {
  const text = typeof configuration === "object" ? JSON.stringify(configuration) : configuration;
  return resource(
    "aws:eks/addon:Addon",
    { addonName, ...(text !== undefined && { configurationValues: text }) },
    { name: "agent" },
  );
};
const tolerating = (...tolerations: object[]) => agent({ dcgmAgent: { tolerations } });
const gpus = (taints: unknown = [taint], more = {}) =>
  resource(
    nodeGroup,
    { instanceTypes: ["g5.xlarge"], amiType: "AL2023_x86_64_NVIDIA", taints, ...more },
    { name: "gpu" },
  );
const fails = ["fail configurationValues"];
const blind = { nodeAgent: { monitors: { nvidia: { enabled: false } } } };
const noGpus = gpus([], { instanceTypes: ["t3.medium"], amiType: "AL2023_x86_64_STANDARD" });
const operator = (values: unknown, chart: unknown = "gpu-operator") =>
  resource("kubernetes:helm.sh/v3:Release", { chart, values }, { name: "operator" });

test.for(gpuHealthEngines)("the library's choice %s", (engine) => {
  const taints = [taint, { key: "team", value: "a", effect: "NO_EXECUTE" }] as const;
  const { addonConfiguration } = gpuHealth({ engine, taints });
  expect(verdicts(rule, [agent(addonConfiguration), gpus(taints)])).toEqual([]);
});

describe("tolerations against taints", () => {
  const noSchedule = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };
  test.for([
    ["by key and effect", tolerating(noSchedule), gpus(), []],
    ["everything", tolerating({ operator: "Exists" }), gpus(), []],
    ["by value", tolerating({ key: "nvidia.com/gpu", value: "true" }), gpus(), []],
    ["any", tolerating({ key: "nvidia.com/gpu", operator: "Exists" }), gpus([{ ...taint, effect: "NO_EXECUTE" }]), []],
    ["a taint that only asks", agent(), gpus([{ ...taint, effect: "PREFER_NO_SCHEDULE" }]), []],
    ["no taint", agent(), gpus([]), []],
    ["no list of taints", agent(), gpus(null), []],
    ["no GPUs", agent(), gpus([taint], { instanceTypes: ["t3.medium"], amiType: "AL2023_x86_64_STANDARD" }), []],
    ["the monitor is off", agent({ nodeAgent: { monitors: { nvidia: { enabled: false } } } }), gpus(), []],
    ["another add-on", agent(undefined, "coredns"), gpus(), []],
    ["none", agent(), gpus(), fails],
    ["an empty list", tolerating(), gpus(), fails],
    ["another key", tolerating({ ...noSchedule, key: "team" }), gpus(), fails],
    ["another value", tolerating({ key: "nvidia.com/gpu", value: "false", effect: "NoSchedule" }), gpus(), fails],
    ["no value", tolerating({ key: "nvidia.com/gpu", effect: "NoSchedule" }), gpus(), fails],
    ["another effect", tolerating(noSchedule), gpus([{ ...taint, effect: "NO_EXECUTE" }]), fails],
    ["an empty key without Exists", tolerating({ value: "true" }), gpus(), fails],
    ["one of two", tolerating(noSchedule), gpus([taint, { key: "team", value: "a", effect: "NO_SCHEDULE" }]), fails],
    ["unknown taints", agent(), gpus(unknown), ["unknown taints"]],
    ["unknown taints, tolerating everything", tolerating({ operator: "Exists" }), gpus(unknown), ["unknown taints"]],
    ["an unknown effect", agent(), gpus([{ ...taint, effect: unknown }]), ["unknown taints[0].effect"]],
    ["an unknown key", tolerating(noSchedule), gpus([{ ...taint, key: unknown }]), ["unknown taints[0].key"]],
    ["an unknown key, tolerating everything", tolerating({ operator: "Exists" }), gpus([{ key: unknown }]), []],
    [
      "an unknown value",
      tolerating({ key: "nvidia.com/gpu", value: "true" }),
      gpus([{ ...taint, value: unknown }]),
      ["unknown taints[0].value"],
    ],
    ["an unknown value, tolerating any", tolerating(noSchedule), gpus([{ ...taint, value: unknown }]), []],
    ["unknown configuration", agent(unknown), gpus(), ["unknown configurationValues"]],
    ["unknown configuration, which may be rubbish", agent(unknown), gpus([]), ["unknown configurationValues"]],
    ["unknown machines", agent(), gpus([taint], { instanceTypes: unknown, amiType: null }), ["unknown instanceTypes"]],
    ["unknown add-on", agent(undefined, unknown), gpus(), ["unknown addonName"]],
    ["in YAML", agent("dcgmAgent:\n  tolerations:\n  - operator: Exists"), gpus(), []],
    ["YAML, of another key", agent("dcgmAgent:\n  tolerations:\n  - key: team\n    operator: Exists"), gpus(), fails],
    ["no value for a taint without one", tolerating({ key: "a" }), gpus([{ key: "a", effect: "NO_SCHEDULE" }]), []],
    [
      "an empty value for a taint without one",
      tolerating({ key: "a", value: "" }),
      gpus([{ key: "a", effect: "NO_SCHEDULE" }]),
      [],
    ],
  ] as const)("%s", ([, addon, group, expected]) => {
    expect(verdicts(rule, [addon, group])).toEqual(expected);
  });
});

test("machines in the launch template count", () => {
  const template = (instanceType: unknown) =>
    resource("aws:ec2/launchTemplate:LaunchTemplate", { instanceType }, { name: "gpu" });
  const group = {
    ...gpus([taint], { instanceTypes: null, amiType: null, launchTemplate: { id: unknown } }),
    propertyDependencies: { launchTemplate: [template("").urn] },
  };
  expect(verdicts(rule, [agent(), group, template("g5.xlarge")])).toEqual(fails);
  expect(verdicts(rule, [agent(), group, template("t3.medium")])).toEqual([]);
  expect(verdicts(rule, [agent(), group, template(unknown)])).toEqual(["unknown instanceType"]);
  const watched = [agent({ dcgmAgent: { enabled: false } }), group];
  expect(verdicts(rule, [...watched, template("g5.xlarge")])).toEqual([`${fails[0]}.nodeAgent.dcgmAddress`]);
  expect(verdicts(rule, [...watched, template("t3.medium")])).toEqual([]);
});

describe("what is no configuration", () => {
  test.for([
    ["an object in JSON", "{}", []],
    ["an object in YAML", "dcgmAgent: {}", []],
    ["nothing", "", []],
    ["blanks", " \n", []],
    ["null", "null", []],
    ["a comment", "# nothing yet", []],
    ["a text", "not json {", fails],
    ["half an object", '{"dcgmAgent":', fails],
    ["a list", "[]", fails],
    ["a list in YAML", "- a", fails],
    ["a number", "7", fails],
    ["two documents", "a: 1\n---\nb: 2", fails],
    ["no text at all", 7, fails],
    ["unknown", unknown, ["unknown configurationValues"]],
  ] as const)("%s", ([, text, expected]) => {
    expect(verdicts(rule, [agent(text), noGpus])).toEqual(expected);
    expect(verdicts(rule, [agent(text, "coredns"), gpus()])).toEqual([]);
  });

  test("of an add-on whose name is unknown", () => {
    expect(verdicts(rule, [agent("[]", unknown)])).toEqual(["unknown addonName"]);
  });

  test("it is said once, whatever else would be wrong", () => {
    expect(verdicts(rule, [agent("not json {"), gpus(), operator({})])).toEqual(fails);
  });
});

describe("the engine of another installation", () => {
  const service = "nvidia-dcgm.gpu-operator.svc:5555";
  const reads = (dcgmAddress: unknown, dnsPolicy: unknown = "ClusterFirstWithHostNet") => ({
    dcgmAgent: { enabled: false },
    nodeAgent: { dcgmAddress, dnsPolicy },
  });
  const merged = { ...reads(""), nodeAgent: { ...reads(service, "").nodeAgent, ...blind.nodeAgent } };
  const off = agent({ dcgmAgent: { enabled: false } });
  const on = operator({ dcgm: { enabled: true } });
  const onNode = operator({ dcgm: { enabled: true, hostNetwork: true } });
  const component = ({ properties: { values } }: typeof onNode) =>
    resource("eks-gpu-lab:index:GpuOperator", { values }, { name: "operator" });
  const address = ["fail configurationValues.nodeAgent.dcgmAddress"];
  const dns = ["fail configurationValues.nodeAgent.dnsPolicy"];

  test.for([
    ["the operator's, through its Service", [agent(reads(service)), gpus(), on], []],
    ["in YAML", [agent(`dcgmAgent: {enabled: false}\nnodeAgent: {dcgmAddress: "10.0.0.1:5555"}`), gpus()], []],
    ["the operator's, on the network of the node", [off, gpus(), onNode], []],
    ["the monitor is off too", [agent({ ...blind, dcgmAgent: { enabled: false } }), gpus(), on], []],
    ["no GPUs", [off, noGpus], []],
    ["switched on", [agent({ dcgmAgent: { enabled: true, tolerations: [{ operator: "Exists" }] } }), gpus()], []],
    ["another engine makes tolerations needless", [agent({ nodeAgent: reads("10.0.0.1:5555").nodeAgent }), gpus()], []],
    ["none", [off, gpus()], address],
    ["none, where only the operator tells of GPUs", [off, operator({})], address],
    ["none in a group without taints", [off, gpus([])], address],
    ["the operator's has a network of its own", [off, gpus(), on], address],
    ["the operator runs none", [off, gpus(), operator({ dcgm: { hostNetwork: true } })], address],
    ["the component, whose Release runs none", [off, gpus(), component(onNode), operator({})], address],
    ["blanks", [agent(reads(" ", "")), gpus(), on], address],
    ["the node itself", [agent(reads("localhost:5555", "")), gpus(), on], address],
    ["a Service that the operator does not make", [agent(reads(service)), gpus(), operator({})], address],
    ["a Service of the operator, which is elsewhere", [agent(reads(service)), gpus()], []],
    ["another engine with an operator without one", [agent(reads("10.0.0.1:5555")), gpus(), operator({})], []],
    ["another chart with it", [agent(reads(service)), gpus(), operator({}, "prometheus")], []],
    ["the node's DNS", [agent(reads(service, null)), gpus(), on], dns],
    ["the node's DNS, said", [agent(reads(service, "ClusterFirst")), gpus(), on], dns],
    ["the node's DNS, empty", [agent(reads(service, "")), gpus(), on], dns],
    ["the node's DNS, but without monitoring", [agent(merged), gpus(), on], []],
    ["an address by number needs no DNS", [agent(reads("10.0.0.1:5555", "")), gpus(), on], []],
    ["an unknown operator", [off, gpus(), operator(unknown)], ["unknown values"]],
    [
      "an unknown chart, which may be the agent's too",
      [off, gpus(), operator(onNode.properties["values"], unknown)],
      ["unknown chart", "unknown chart"],
    ],
    ["an unknown configuration", [agent(unknown), gpus(), on], ["unknown configurationValues"]],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });
});

describe("the agent from its Helm chart", () => {
  const installed = (values: unknown, chart: unknown = "eks-node-monitoring-agent") =>
    resource("kubernetes:helm.sh/v3:Release", { chart, values }, { name: "agent" });
  const dns = resource("aws:eks/addon:Addon", { addonName: "coredns" }, { name: "dns" });
  const repaired = gpus([], { nodeRepairConfig: { enabled: true } });
  test.for([
    ["tolerating", [installed({ dcgmAgent: { tolerations: [{ operator: "Exists" }] } }), gpus()], []],
    ["tolerating nothing", [installed({}), gpus()], ["fail values"]],
    ["without values", [installed(undefined), gpus()], ["fail values"]],
    ["with no engine", [installed({ dcgmAgent: { enabled: false } }), gpus()], ["fail values.nodeAgent.dcgmAddress"]],
    ["another chart", [installed({}, "prometheus"), gpus()], []],
    ["unknown values", [installed(unknown), gpus()], ["unknown values"]],
    ["unknown chart", [installed({}, unknown), gpus()], ["unknown chart"]],
    ["node repair listens to it", [installed({}), dns, repaired], []],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });
});

describe("repair", () => {
  const other = resource("aws:eks/addon:Addon", { addonName: "coredns" }, { name: "dns" });
  const repaired = (enabled: unknown) => gpus([], { nodeRepairConfig: { enabled } });
  test.for([
    ["on, with the agent", [agent(), other, repaired(true)], []],
    ["off, without the agent", [other, repaired(false)], []],
    ["not stated", [other, gpus([])], []],
    ["the add-ons are elsewhere", [repaired(true)], []],
    ["on, without the agent", [other, repaired(true)], ["advise nodeRepairConfig.enabled"]],
    ["unknown, without the agent", [other, repaired(unknown)], ["unknown nodeRepairConfig.enabled"]],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });
});

test("an add-on of a name that is exempt is left alone", () => {
  expect(verdicts(rule, [agent(), gpus()], { policyConfig: { [rule.id]: { exempt: ["ag*"] } } })).toEqual([]);
});

test("a secret is not printed", () => {
  const secret = gpus([{ key: "hunter2", value: "hunter2", effect: "NO_SCHEDULE" }]);
  const said = findings(rule, [tolerating({ key: "hunter2" }), secret]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  expect(findings(rule, [agent(), gpus()])[0]?.message).toMatchInlineSnapshot(`
    "configurationValues: got nothing. dcgm-server does not start on a node whose taint it does not tolerate: the agent finds no DCGM engine, sets AcceleratedHardwareReady to False, and node repair replaces healthy nodes.
    fix: tolerate every taint of the GPU node groups in configurationValues, as in {"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}}"
  `);
  const message = (...given: Parameters<typeof agent>) => findings(rule, [agent(...given), gpus()])[0]?.message;
  expect(message({ dcgmAgent: {} })?.split(". ")[0]).toMatchInlineSnapshot(
    `"configurationValues: got dcgmAgent.tolerations without a taint of the GPU nodes"`,
  );
  expect(message("not json {")).toMatchInlineSnapshot(`
    "configurationValues: got a value that is not a JSON or YAML object. EKS rejects the add-on during the update, and nothing monitors the GPUs.
    fix: set configurationValues to an object in JSON or YAML, such as {"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}}"
  `);
  expect(message({ dcgmAgent: { enabled: false } })).toMatchInlineSnapshot(`
    "configurationValues.nodeAgent.dcgmAddress: got nothing. dcgmAgent.enabled is false, so dcgm-server does not run, and no other engine is configured: the agent finds no DCGM engine, sets AcceleratedHardwareReady to False, and node repair replaces healthy nodes.
    fix: set configurationValues.nodeAgent.dcgmAddress to nvidia-dcgm.gpu-operator.svc:5555, nodeAgent.dnsPolicy to ClusterFirstWithHostNet and the operator's dcgm.enabled to true, or nodeAgent.monitors.nvidia.enabled to false"
  `);
  const agentOf = (dnsPolicy?: string) => ({ nodeAgent: { dcgmAddress: "nvidia-dcgm.a.svc:5555", dnsPolicy } });
  expect(message(agentOf("hunter2"))).toMatchInlineSnapshot(`
    "configurationValues.nodeAgent.dnsPolicy: got a string. The agent uses the network of its node, whose DNS does not resolve Services of the cluster: the agent finds no DCGM engine, sets AcceleratedHardwareReady to False, and node repair replaces healthy nodes.
    fix: set configurationValues.nodeAgent.dnsPolicy to ClusterFirstWithHostNet"
  `);
  expect(message(agentOf(""))?.split(". ")[0]).toMatchInlineSnapshot(
    `"configurationValues.nodeAgent.dnsPolicy: got an empty string"`,
  );
  expect(
    message({ dcgmAgent: { enabled: false }, nodeAgent: { dcgmAddress: "localhost:5555" } })?.split(". ")[0],
  ).toMatchInlineSnapshot(`"configurationValues.nodeAgent.dcgmAddress: got no address outside the node"`);
  const silent = [agent(agentOf("ClusterFirstWithHostNet")), gpus(), operator({})];
  expect(findings(rule, silent)[0]?.message).toMatchInlineSnapshot(`
    "configurationValues.nodeAgent.dcgmAddress: got the Service nvidia-dcgm. The GPU Operator has dcgm.enabled off, so this Service does not exist: the agent finds no DCGM engine, sets AcceleratedHardwareReady to False, and node repair replaces healthy nodes.
    fix: set dcgm.enabled to true in the values of the GPU Operator"
  `);
  const without = [
    resource("aws:eks/addon:Addon", { addonName: "coredns" }),
    gpus([], { nodeRepairConfig: { enabled: true } }),
  ];
  expect(findings(rule, without)[0]?.message).toMatchInlineSnapshot(`
    "nodeRepairConfig.enabled: got true. The stack has no eks-node-monitoring-agent, so nothing reports broken GPUs. Node repair detects only nodes that do not respond at all.
    fix: install the add-on eks-node-monitoring-agent"
  `);
});
