import { expect, test } from "vitest";
import { gpuPoolLimit as rule } from "../../../../policies/rules/scaling/gpu-pool-limit";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const type = "kubernetes:karpenter.sh/v1:NodePool";
const limits = "spec.limits";
const expiry = "spec.template.spec.expireAfter";
const requirement = (...values: unknown[]) => ({ key: "node.kubernetes.io/instance-type", operator: "In", values });
const pool = (spec: object, more: object = {}, requirements: unknown = [requirement("g5.xlarge")]) => ({
  spec: { template: { spec: { requirements, ...more } }, ...spec },
});

test.for([
  ["GPUs", pool({ limits: { "nvidia.com/gpu": "2" } }), []],
  ["no GPU at all, so that no node starts", pool({ limits: { "nvidia.com/gpu": 0 } }), []],
  ["vCPUs", pool({ limits: { cpu: 8 } }), []],
  ["memory", pool({ limits: { memory: "32Gi" } }), []],
  ["nodes", pool({ limits: { nodes: 1 } }), []],
  ["a number that is not known yet", pool({ limits: { "nvidia.com/gpu": unknown } }), []],
  ["a fixed number of nodes", pool({ replicas: 1 }), []],
  ["no limits", pool({}), [`fail ${limits}`]],
  ["empty limits", pool({ limits: {} }), [`fail ${limits}`]],
  ["limits of other resources", pool({ limits: { "ephemeral-storage": "hunter2" } }), [`fail ${limits}`]],
  ["limits of AMD's GPUs", pool({ limits: { "amd.com/gpu": 2 } }), [`fail ${limits}`]],
  ["unknown limits", pool({ limits: unknown }), [`unknown ${limits}`]],
  ["unknown limits of system nodes", pool({ limits: unknown }, {}, [requirement("m7i.large")]), []],
  ["an unknown number of nodes", pool({ replicas: unknown }), ["unknown spec.replicas"]],
  ["unknown requirements", pool({}, {}, unknown), ["unknown spec.template.spec.requirements"]],
  ["an unknown type", pool({}, {}, [requirement(unknown)]), ["unknown spec.template.spec.requirements[0].values[0]"]],
  [
    "unknown values",
    pool({}, {}, [{ ...requirement(), values: unknown }]),
    ["unknown spec.template.spec.requirements[0].values"],
  ],
  [
    "an unknown label",
    pool({}, {}, [{ ...requirement("g5.xlarge"), key: unknown }]),
    ["unknown spec.template.spec.requirements[0].key"],
  ],
  [
    "an unknown operator",
    pool({}, {}, [{ ...requirement("g5.xlarge"), operator: unknown }]),
    ["unknown spec.template.spec.requirements[0].operator"],
  ],
  ["system nodes", pool({}, {}, [requirement("m7i.large")]), []],
  ["no requirements", pool({}, {}, []), []],
  ["nothing", {}, []],
  ["the default expiry", pool({ limits: { cpu: 8 } }, { expireAfter: "720h" }), []],
  ["no expiry", pool({ limits: { cpu: 8 } }, { expireAfter: "Never" }), [`advise ${expiry}`]],
  [
    "no expiry of v1beta1",
    pool({ limits: { cpu: 8 }, disruption: { expireAfter: "Never" } }),
    ["advise spec.disruption.expireAfter"],
  ],
  ["an unknown expiry", pool({ limits: { cpu: 8 } }, { expireAfter: unknown }), [`unknown ${expiry}`]],
  [
    "an unknown expiry of v1beta1",
    pool({ limits: { cpu: 8 }, disruption: { expireAfter: unknown } }),
    ["unknown spec.disruption.expireAfter"],
  ],
] as const)("%s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("a Provisioner has its limits elsewhere", () => {
  const given = { spec: { requirements: [requirement("g5.xlarge")] } };
  const provisioner = "kubernetes:karpenter.sh/v1alpha5:Provisioner";
  expect(verdicts(rule, [resource(provisioner, given)])).toEqual(["fail spec.limits.resources"]);
  const limited = { spec: { ...given.spec, limits: { resources: { cpu: "8" } } } };
  expect(verdicts(rule, [resource(provisioner, limited)])).toEqual([]);
});

test("an exempt pool", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["it"] } } };
  expect(verdicts(rule, [resource(type, pool({}))], options)).toEqual([]);
});

test("the message", () => {
  expect(findings(rule, [resource(type, pool({}))])[0]?.message).toMatchSnapshot();
});
