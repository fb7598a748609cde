import { expect, test } from "vitest";
import { nodeselectorHostname as rule } from "../../../../policies/rules/workloads/nodeselector-hostname";
import { everyKind, patched, podOf } from "../../support/pods";
import { findings, unknown, verdicts } from "../../support/verdicts";

const hostname = "kubernetes.io/hostname";
const gpu = { resources: { limits: { "nvidia.com/gpu": 1 } } };
const nodeSelector = { [hostname]: "ip-10-0-0-1" };
const at = `spec.nodeSelector["${hostname}"]`;
const affinity = (kind: string, operator: string, key = hostname) => ({
  nodeAffinity: { [kind]: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values: ["a"] }] }] } },
});
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const fields = (key: unknown, operator: unknown = "In") => ({
  nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchFields: [{ key, operator, values: ["a"] }] }] } },
});
const expression = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0]`;
const field = expression.replace("matchExpressions", "matchFields");

test.for([
  ["by product", { nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-A10G" } }, []],
  ["nowhere", {}, []],
  ["null", { nodeSelector: { [hostname]: null } }, []],
  ["to other nodes than one", { affinity: affinity(required, "NotIn") }, []],
  ["rather there", { affinity: affinity("preferredDuringSchedulingIgnoredDuringExecution", "In") }, []],
  ["an empty node name", { nodeName: "" }, []],
  ["by node selector", { nodeSelector }, [`fail ${at}`]],
  ["by node selector, besides others", { nodeSelector: { tier: "gpu", ...nodeSelector } }, [`fail ${at}`]],
  ["by affinity", { affinity: affinity(required, "In") }, ["fail spec.affinity.nodeAffinity"]],
  ["by a field", { affinity: fields("metadata.name") }, ["fail spec.affinity.nodeAffinity"]],
  ["by a field to other nodes", { affinity: fields("metadata.name", "NotIn") }, []],
  ["by a label with the name of the field", { affinity: affinity(required, "In", "tier") }, []],
  ["past the scheduler", { nodeName: "ip-10-0-0-1" }, ["fail spec.nodeName"]],
  ["twice", { nodeSelector, nodeName: "a" }, [`fail ${at}`, "fail spec.nodeName"]],
  ["selector unknown", { nodeSelector: unknown }, ["unknown spec.nodeSelector"]],
  ["name unknown", { nodeSelector: { [hostname]: unknown } }, [`unknown ${at}`]],
  ["node name unknown", { nodeName: unknown }, ["unknown spec.nodeName"]],
  ["affinity unknown", { affinity: unknown }, ["unknown spec.affinity"]],
  ["operator unknown", { affinity: affinity(required, unknown) }, [`unknown ${expression}.operator`]],
  ["label unknown", { affinity: affinity(required, "In", unknown) }, [`unknown ${expression}.key`]],
  ["operator of a field unknown", { affinity: fields("metadata.name", unknown) }, [`unknown ${field}.operator`]],
  ["field unknown", { affinity: fields(unknown) }, [`unknown ${field}.key`]],
  ["label unknown of other nodes", { affinity: affinity(required, "NotIn", unknown) }, []],
] as const)("a pod with a GPU, pinned %s", ([, spec, expected]) => {
  expect(verdicts(rule, [podOf(gpu, spec)])).toEqual(expected);
});

test("the pods of every kind", () => {
  for (const [path, of] of everyKind({ nodeSelector, containers: [gpu] })) {
    expect(verdicts(rule, [of])).toEqual([`fail ${path}.nodeSelector["${hostname}"]`]);
    expect(verdicts(rule, [patched(of)])).toEqual([`fail ${path}.nodeSelector["${hostname}"]`]);
  }
});

test("a pod without a GPU may be pinned", () => {
  expect(verdicts(rule, [podOf({}, { nodeSelector })])).toEqual([]);
  expect(verdicts(rule, [podOf({ resources: { limits: { "nvidia.com/gpu": 0 } } }, { nodeSelector })])).toEqual([]);
});

test("whether it has one is unknown", () => {
  const later = { resources: { limits: unknown } };
  expect(verdicts(rule, [podOf(later, { nodeSelector })])).toEqual(["unknown spec.containers[0].resources.limits"]);
  const amount = { resources: { limits: { "nvidia.com/gpu": unknown } } };
  expect(verdicts(rule, [podOf(amount, { nodeSelector })])).toEqual([
    'unknown spec.containers[0].resources.limits["nvidia.com/gpu"]',
  ]);
});

test("a pod of a name that is exempt is left alone", () => {
  expect(verdicts(rule, [podOf(gpu, { nodeSelector })], { policyConfig: { [rule.id]: { exempt: ["it"] } } })).toEqual(
    [],
  );
});

test("a secret is not printed", () => {
  const said = findings(rule, [podOf(gpu, { nodeSelector: { [hostname]: "hunter2" }, nodeName: "hunter2" })]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  expect(findings(rule, [podOf(gpu, { nodeSelector })])[0]?.message).toMatchInlineSnapshot(`
    "spec.nodeSelector["kubernetes.io/hostname"]: got the name of one node. A rollout can use only the GPUs of that node. When EKS replaces the node, the pod stays Pending forever.
    fix: select the nodes by nvidia.com/gpu.product, or by a label of the node group"
  `);
});
