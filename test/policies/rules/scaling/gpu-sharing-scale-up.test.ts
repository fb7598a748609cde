import { expect, test } from "vitest";
import { gpuSharingScaleUp as rule } from "../../../../policies/rules/scaling/gpu-sharing-scale-up";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const at = "spec.template.spec.requirements";
const requirement = (...values: unknown[]) => ({ key: "node.kubernetes.io/instance-type", operator: "In", values });
const pool = (requirements: unknown = [requirement("g5.xlarge")]) =>
  resource("kubernetes:karpenter.sh/v1:NodePool", { spec: { template: { spec: { requirements } } } });
const operator = (more: Record<string, unknown>) => resource("eks-gpu-lab:index:GpuOperator", more);
const file = (way: string, replicas: number) =>
  `sharing: { ${way}: { resources: [{ name: nvidia.com/gpu, replicas: ${replicas} }] } }`;
const plugin = (text: unknown) =>
  resource("kubernetes:helm.sh/v3:Release", {
    chart: "nvidia-device-plugin",
    values: { config: { map: { "hunter2.yaml": text } } },
  });

test.for([
  ["a pool alone", [pool()], []],
  ["whole GPUs", [pool(), operator({})], []],
  ["one pod per GPU", [pool(), operator({ timeSlicing: { replicas: 1 } })], []],
  ["time slicing of the operator", [pool(), operator({ timeSlicing: { replicas: 2 } })], [`fail ${at}`]],
  ["MPS of the operator", [pool(), operator({ mps: { replicas: 4 } })], [`fail ${at}`]],
  ["time slicing of the plugin", [pool(), plugin(file("timeSlicing", 4))], [`fail ${at}`]],
  ["MPS of the plugin", [pool(), plugin(file("mps", 2))], [`fail ${at}`]],
  ["one replica", [pool(), plugin(file("mps", 1))], []],
  ["a ConfigMap", [pool(), resource("kubernetes:core/v1:ConfigMap", { data: { a: file("mps", 2) } })], [`fail ${at}`]],
  ["nodes without GPUs", [pool([requirement("m7i.large")]), operator({ mps: { replicas: 4 } })], []],
  ["no pool", [operator({ mps: { replicas: 4 } })], []],
  ["nothing", [], []],
  ["unknown replicas", [pool(), operator({ timeSlicing: { replicas: unknown } })], ["unknown timeSlicing.replicas"]],
  ["unknown replicas of MPS", [pool(), operator({ mps: { replicas: unknown } })], ["unknown mps.replicas"]],
  ["an unknown file", [pool(), plugin(unknown)], ['unknown values.config.map["hunter2.yaml"]']],
  ["unknown requirements", [pool(unknown), operator({ mps: { replicas: 2 } })], [`unknown ${at}`]],
  [
    "an unknown label",
    [pool([{ ...requirement("g5.xlarge"), key: unknown }]), plugin(file("mps", 2))],
    [`unknown ${at}[0].key`],
  ],
  [
    "an unknown operator",
    [pool([{ ...requirement("g5.xlarge"), operator: unknown }]), plugin(file("mps", 2))],
    [`unknown ${at}[0].operator`],
  ],
  ["an unknown type", [pool([requirement(unknown)]), plugin(file("mps", 2))], [`unknown ${at}[0].values[0]`]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("an exempt pool", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["it"] } } };
  expect(verdicts(rule, [pool(), operator({ mps: { replicas: 2 } })], options)).toEqual([]);
});

test("the message", () => {
  expect(findings(rule, [pool(), operator({ mps: { replicas: 2 } })])[0]?.message).toMatchSnapshot();
});
