import { expect, test } from "vitest";
import { oneGpuDevicePlugin as rule } from "../../../../policies/rules/pods/one-gpu-device-plugin";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const image = "nvcr.io/nvidia/k8s-device-plugin:v0.19.0";
const set = (given: unknown, name = "plugin") =>
  resource(
    "kubernetes:apps/v1:DaemonSet",
    { spec: { template: { spec: { containers: [{ image: given }] } } } },
    { name },
  );
const release = (chart: unknown, values: unknown = {}, name = "release") =>
  resource("kubernetes:helm.sh/v3:Release", { chart, values }, { name });
const operator = (args: object = { chartVersion: "v26.3.1" }) => resource("eks-gpu-lab:index:GpuOperator", { ...args });
const policy = (enabled: unknown) =>
  resource("kubernetes:nvidia.com/v1:ClusterPolicy", { spec: { devicePlugin: { enabled } } });
const policyPatch = (devicePlugin: unknown) =>
  resource("kubernetes:nvidia.com/v1:ClusterPolicyPatch", { spec: { devicePlugin } });
const off = { devicePlugin: { enabled: false } };
const at = "spec.template.spec.containers";

test.for([
  ["the operator alone", [operator(), release("gpu-operator")], []],
  ["a plugin alone", [set(image)], []],
  ["a chart's plugin alone", [release("nvidia-device-plugin")], []],
  ["another DaemonSet", [operator(), set("nvcr.io/nvidia/k8s/dcgm-exporter:4.4.2")], []],
  ["a plugin of another make", [operator(), set("rocm/k8s-device-plugin-labeller:1")], []],
  ["the component's switched off", [operator({ devicePlugin: false }), set(image)], []],
  ["the chart's switched off", [release("gpu-operator", off), set(image)], []],
  ["the policy's switched off", [policy(false), set(image)], []],
  ["with the component", [operator(), set(image)], [`fail ${at}`]],
  ["with a Release", [release("nvidia/gpu-operator"), set(image)], [`fail ${at}`]],
  ["with a rendered chart", [policy(true), set(image)], [`fail ${at}`]],
  ["with a patched policy that says on", [policyPatch({ enabled: true }), set(image)], [`fail ${at}`]],
  ["with a patched policy that says off", [policyPatch({ enabled: false }), set(image)], []],
  ["with a patched policy that says nothing", [policyPatch({}), set(image)], []],
  ["by digest", [operator(), set("k8s-device-plugin@sha256:0a")], [`fail ${at}`]],
  ["two charts", [release("gpu-operator"), release("nvidia-device-plugin", {}, "b")], ["fail chart"]],
  ["the DRA driver", [operator(), release("nvidia-dra-driver-gpu")], ["fail chart"]],
  ["a DaemonSet of the DRA driver", [operator(), set("nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.0")], [`fail ${at}`]],
  [
    "the DRA driver for other devices",
    [operator(), release("nvidia-dra-driver-gpu", { resources: { gpus: { enabled: false } } })],
    [],
  ],
  ["the DRA driver, and the operator's off", [operator({ devicePlugin: false }), release("nvidia-dra-driver-gpu")], []],
  ["image unknown", [operator(), set(unknown)], [`unknown ${at}[0].image`]],
  ["image unknown, no operator", [set(unknown)], []],
  ["switch unknown", [operator({ devicePlugin: unknown }), set(image)], ["unknown devicePlugin"]],
  ["the policy's switch unknown", [policy(unknown), set(image)], ["unknown spec.devicePlugin.enabled"]],
  ["values unknown", [release("gpu-operator", unknown), set(image)], ["unknown values"]],
  ["one switch unknown, another on", [operator(), release("gpu-operator", unknown), set(image)], [`fail ${at}`]],
  ["chart unknown with a plugin", [release(unknown), set(image)], ["unknown chart", "unknown chart"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

const nodes = (amiType: unknown, more: object = {}) =>
  resource("aws:eks/nodeGroup:NodeGroup", { amiType, ...more }, { name: "nodes" });
const bottlerocket = nodes("BOTTLEROCKET_x86_64_NVIDIA");

test.for([
  ["the plugin of Bottlerocket alone", [bottlerocket], []],
  ["with the operator's off", [release("gpu-operator", off), bottlerocket], []],
  ["with the operator's", [operator(), bottlerocket], ["fail amiType"]],
  ["in FIPS mode on Arm", [operator(), nodes("BOTTLEROCKET_ARM_64_NVIDIA_FIPS")], ["fail amiType"]],
  ["another image of Bottlerocket", [operator(), nodes("BOTTLEROCKET_x86_64", { instanceTypes: ["g5.xlarge"] })], []],
  [
    "Bottlerocket as an operating system",
    [operator(), resource("eks:index:ManagedNodeGroup", { operatingSystem: "Bottlerocket", gpu: true })],
    ["fail operatingSystem"],
  ],
  [
    "Bottlerocket as an operating system, without GPUs",
    [operator(), resource("eks:index:ManagedNodeGroup", { operatingSystem: "Bottlerocket" })],
    [],
  ],
  ["Bottlerocket without GPUs", [operator(), nodes("BOTTLEROCKET_x86_64", { instanceTypes: ["t3.medium"] })], []],
  ["Amazon Linux", [operator(), nodes("AL2023_x86_64_NVIDIA")], []],
  ["an unknown image", [operator(), nodes(unknown)], ["unknown amiType"]],
  [
    "an unknown operating system",
    [operator(), resource("eks:index:ManagedNodeGroup", { operatingSystem: unknown, gpu: true })],
    ["unknown operatingSystem"],
  ],
  [
    "an unknown choice of GPUs",
    [operator(), resource("eks:index:ManagedNodeGroup", { operatingSystem: "Bottlerocket", gpu: unknown })],
    ["unknown gpu"],
  ],
  [
    "a self-managed group of @pulumi/eks",
    [operator(), resource("eks:index:NodeGroupV2", { amiType: "BOTTLEROCKET_x86_64_NVIDIA" }, { name: "nodes" })],
    ["fail amiType"],
  ],
] as const)("in the image of nodes: %s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("a plugin of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["plug*"] } };
  expect(verdicts(rule, [operator(), set(image)], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [operator(), set("hunter2/k8s-device-plugin:hunter2")]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  expect(findings(rule, [operator(), set(image)])[0]?.message).toMatchInlineSnapshot(`
    "spec.template.spec.containers: got an NVIDIA device plugin or DRA driver in addition to the GPU Operator's device plugin. Both offer the GPUs of the same node, so one GPU can be assigned to two pods.
    fix: remove it, or disable the operator's device plugin with devicePlugin.enabled false"
  `);
  expect(findings(rule, [operator(), bottlerocket])[0]?.message).toMatchInlineSnapshot(`
    "amiType: got an AMI of Bottlerocket, which contains NVIDIA's device plugin. The GPU Operator also runs its device plugin on these nodes. Both register nvidia.com/gpu with the kubelet, which can then assign one GPU to two pods.
    fix: set devicePlugin.enabled to false in the values of the GPU Operator, or keep its DaemonSets off these nodes"
  `);
});

const pool = (group: string, family: string) =>
  resource(
    "kubernetes:karpenter.sh/v1:NodePool",
    {
      spec: {
        template: {
          spec: {
            nodeClassRef: { group, kind: "NodeClass", name: "default" },
            requirements: [{ key: "eks.amazonaws.com/instance-family", operator: "In", values: [family] }],
          },
        },
      },
    },
    { name: "pool" },
  );

test.for([
  ["GPU nodes of Auto Mode", "eks.amazonaws.com", "g6e", ["fail spec.template.spec.nodeClassRef.group"]],
  ["other nodes of Auto Mode", "eks.amazonaws.com", "m7i", []],
  ["GPU nodes of Karpenter", "karpenter.k8s.aws", "g6e", []],
] as const)("the operator's plugin on %s", ([, group, family, expected]) => {
  expect(verdicts(rule, [operator(), pool(group, family)])).toEqual(expected);
  expect(verdicts(rule, [operator({ devicePlugin: false }), pool(group, family)])).toEqual([]);
});

const plugin = release("nvidia-device-plugin");
const auto = pool("eks.amazonaws.com", "g6e");
const isAuto = "spec.template.spec.nodeClassRef.group";
const here = (key: string) => ({ nodeSelector: { [key]: "true" } });

test.for([
  ["two charts", [plugin, release("nvidia-device-plugin", {}, "b")], ["fail chart"]],
  ["a chart and a DaemonSet", [plugin, set(image)], [`fail ${at}`]],
  ["a chart and the DaemonSet in it", [plugin, { ...set(image), parent: plugin.urn }], []],
  ["the DRA driver", [plugin, release("nvidia-dra-driver-gpu", {}, "b")], ["fail chart"]],
  [
    "the DRA driver for other devices",
    [plugin, release("nvidia-dra-driver-gpu", { resources: { gpus: { enabled: false } } }, "b")],
    [],
  ],
  ["the plugin of Auto Mode", [plugin, auto], [`fail ${isAuto}`]],
  ["the plugin of Bottlerocket", [plugin, bottlerocket], ["fail amiType"]],
  ["a node selector beside Auto Mode", [release("nvidia-device-plugin", here("mine")), auto], []],
  [
    "an unknown selector beside Auto Mode",
    [release("nvidia-device-plugin", { nodeSelector: unknown }), auto],
    ["unknown values.nodeSelector"],
  ],
  ["selectors", [release("nvidia-device-plugin", here("a")), release("nvidia-device-plugin", here("b"), "b")], []],
] as const)("plugins without the operator: %s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("messages without the operator", () => {
  expect(findings(rule, [plugin, set(image)])[0]?.message).toMatchInlineSnapshot(`
    "spec.template.spec.containers: got an NVIDIA device plugin or DRA driver in addition to another device plugin. Both offer the GPUs of the same node, so one GPU can be assigned to two pods.
    fix: remove one of them, or set a nodeSelector in both"
  `);
  expect(findings(rule, [plugin, bottlerocket])[0]?.message).toMatchInlineSnapshot(`
    "amiType: got an AMI of Bottlerocket, which contains NVIDIA's device plugin. Another device plugin in the stack also runs on these nodes. Both register nvidia.com/gpu with the kubelet, which can then assign one GPU to two pods.
    fix: remove that plugin, or keep it off these nodes with a node selector or an affinity"
  `);
});
