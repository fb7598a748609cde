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
    [
      "any effect",
      tolerating({ key: "nvidia.com/gpu", operator: "Exists" }),
      gpus([{ ...taint, effect: "NO_EXECUTE" }]),
      [],
    ],
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
    [
      "one of two taints",
      tolerating(noSchedule),
      gpus([taint, { key: "team", value: "a", effect: "NO_SCHEDULE" }]),
      fails,
    ],
    ["unknown taints", agent(), gpus(unknown), ["unknown taints"]],
    ["unknown taints, tolerating everything", tolerating({ operator: "Exists" }), gpus(unknown), ["unknown taints"]],
    ["unknown configuration", agent(unknown), gpus(), ["unknown configurationValues"]],
    ["unknown configuration, no taint", agent(unknown), gpus([]), []],
    ["unknown machines", agent(), gpus([taint], { instanceTypes: unknown, amiType: null }), ["unknown instanceTypes"]],
    ["unknown add-on", agent(undefined, unknown), gpus(), ["unknown addonName"]],
    [
      "YAML, which nobody reads",
      agent("dcgmAgent:\n  tolerations:\n  - operator: Exists"),
      gpus(),
      ["unknown configurationValues"],
    ],
  ] as const)("%s", ([, addon, group, expected]) => {
    expect(verdicts(rule, [addon, group])).toEqual(expected);
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
    "configurationValues: got nothing. dcgm-server never starts on a node whose taint it does not tolerate: the agent finds no engine, AcceleratedHardwareReady goes False, and node repair replaces nodes that are well.
    fix: tolerate every taint of the GPU node groups in configurationValues, as in {"dcgmAgent":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]}}"
  `);
  const without = [
    resource("aws:eks/addon:Addon", { addonName: "coredns" }),
    gpus([], { nodeRepairConfig: { enabled: true } }),
  ];
  expect(findings(rule, without)[0]?.message).toMatchInlineSnapshot(`
    "nodeRepairConfig.enabled: got true. No add-on here is eks-node-monitoring-agent, so nobody reports broken GPUs: repair sees only nodes that are silent altogether.
    fix: install the add-on eks-node-monitoring-agent"
  `);
});
