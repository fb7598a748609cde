import { expect, test } from "vitest";
import { podHostAccess as rule } from "../../../../policies/rules/pods/pod-host-access";
import { everyKind, patched, pod, podOf } from "../../support/pods";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const privileged = { securityContext: { privileged: true } };
const add = (...names: unknown[]) => ({ securityContext: { capabilities: { add: names } } });
const at = "spec.containers[0].securityContext";

test.for([
  ["nothing", {}, []],
  ["everything off", { hostNetwork: false, hostPID: false, hostIPC: false }, []],
  ["null", { hostNetwork: null }, []],
  ["what is no boolean", { hostNetwork: 1, hostPID: "yes" }, []],
  ["the node's network", { hostNetwork: true }, ["fail spec.hostNetwork"]],
  ["the node's processes", { hostPID: true }, ["fail spec.hostPID"]],
  ["the node's memory, as a text", { hostIPC: "true" }, ["fail spec.hostIPC"]],
  ["two at once", { hostPID: true, hostIPC: true }, ["fail spec.hostPID", "fail spec.hostIPC"]],
  [
    "a privileged container that starts first",
    { initContainers: [privileged] },
    ["fail spec.initContainers[0].securityContext.privileged"],
  ],
  [
    "a privileged container added later",
    { ephemeralContainers: [{}, privileged] },
    ["fail spec.ephemeralContainers[1].securityContext.privileged"],
  ],
  ["the memory unknown", { hostIPC: unknown }, ["unknown spec.hostIPC"]],
  ["the network unknown", { hostNetwork: unknown }, ["unknown spec.hostNetwork"]],
  ["the network unknown, processes shared", { hostNetwork: unknown, hostPID: true }, ["fail spec.hostPID"]],
  ["containers unknown", { containers: unknown }, ["unknown spec.containers"]],
  ["all unknown", unknown, ["unknown spec"]],
] as const)("a pod with %s", ([, spec, expected]) => {
  expect(verdicts(rule, [pod(spec)])).toEqual(expected);
});

test.for([
  ["not privileged", { securityContext: { privileged: false } }, []],
  ["a harmless capability", add("NET_BIND_SERVICE", "IPC_LOCK"), []],
  ["no capability", { securityContext: { capabilities: { drop: ["ALL"] } } }, []],
  ["privileged", privileged, [`fail ${at}.privileged`]],
  ["SYS_ADMIN", add("NET_ADMIN", "SYS_ADMIN"), [`fail ${at}.capabilities.add`]],
  ["all of them", add("ALL"), [`fail ${at}.capabilities.add`]],
  ["in the kernel's spelling", add("CAP_SYS_ADMIN"), [`fail ${at}.capabilities.add`]],
  ["a capability that ends alike", add("CAP_ALL_BUT", "NOT_ALL"), []],
  ["in small letters", add("sys_module"), [`fail ${at}.capabilities.add`]],
  ["privileged unknown", { securityContext: { privileged: unknown } }, [`unknown ${at}.privileged`]],
  ["a capability unknown", add(unknown), [`unknown ${at}.capabilities.add[0]`]],
  ["a capability unknown, another mighty", add(unknown, "ALL"), [`fail ${at}.capabilities.add`]],
  ["security context unknown", { securityContext: unknown }, [`unknown ${at}`]],
] as const)("a container that is %s", ([, container, expected]) => {
  expect(verdicts(rule, [podOf(container)])).toEqual(expected);
});

test("the pods of every kind", () => {
  for (const [path, of] of everyKind({ hostPID: true })) {
    expect(verdicts(rule, [of])).toEqual([`fail ${path}.hostPID`]);
    expect(verdicts(rule, [patched(of)])).toEqual([`fail ${path}.hostPID`]);
  }
});

test.for([
  ["gpu-operator", []],
  ["kube-system", []],
  ["monitoring", []],
  ["monitoring-2", ["fail spec.hostPID"]],
  [undefined, ["fail spec.hostPID"]],
  [7, ["fail spec.hostPID"]],
  [unknown, ["unknown metadata.namespace"]],
] as const)("in the namespace %j", ([namespace, expected]) => {
  const given = resource("kubernetes:core/v1:Pod", { metadata: { namespace }, spec: { hostPID: true } });
  expect(verdicts(rule, [given])).toEqual(expected);
});

test("namespaces and exempt names can be configured", () => {
  const said = (config: object) =>
    verdicts(rule, [pod({ hostPID: true })], { policyConfig: { [rule.id]: { ...config } } });
  expect(said({ allowNamespaces: ["lab"] })).toEqual([]);
  expect(said({ allowNamespaces: [] })).toEqual(["fail spec.hostPID"]);
  expect(said({ exempt: ["i*"] })).toEqual([]);
});

test("a pod without a namespace is in the default one", () => {
  const given = resource("kubernetes:core/v1:Pod", { spec: { hostPID: true } });
  const policyConfig = { [rule.id]: { allowNamespaces: ["default"] } };
  expect(verdicts(rule, [given], { policyConfig })).toEqual([]);
});

test("of a patch only what it says is judged, in the namespace that it says", () => {
  expect(verdicts(rule, [patched(pod({}))])).toEqual([]);
  expect(verdicts(rule, [patched(pod({ hostPID: unknown }))])).toEqual(["unknown spec.hostPID"]);
  expect(verdicts(rule, [patched(pod({ hostPID: true }, "kube-system"))])).toEqual([]);
  expect(verdicts(rule, [patched(pod({ hostPID: true }, undefined))])).toEqual(["fail spec.hostPID"]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [podOf({ env: [{ value: "hunter2" }], ...add("hunter2", "ALL") }, { hostPID: true })]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const said = findings(rule, [podOf({ ...privileged }, { hostNetwork: true }), podOf(add("ALL"))]);
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.hostNetwork: got true. The pod uses the network of the node: it can reach the services of the node and bypasses network policies.
    fix: remove spec.hostNetwork, or add the namespace to "allowNamespaces" in the policy configuration",
      "spec.containers[0].securityContext.privileged: got true. The container is root on the node and sees all GPUs, regardless of its limit.
    fix: remove spec.containers[0].securityContext.privileged, or add the namespace to "allowNamespaces" in the policy configuration",
      "spec.containers[0].securityContext.capabilities.add: got a capability that gives root access to the node. With SYS_ADMIN, SYS_MODULE or ALL, a container can leave its namespaces and change the node.
    fix: remove it from spec.containers[0].securityContext.capabilities.add",
    ]
  `);
});
