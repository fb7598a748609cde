import { expect, test } from "vitest";
import { hostpathSocketType as rule } from "../../../../policies/rules/workloads/hostpath-socket-type";
import { everyKind, pod } from "../../support/pods";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";
import { faultOn, now } from "../../support/lab-fault";

const volume = (hostPath: unknown) => ({ volumes: [{ name: "v", hostPath }] });
const at = "spec.volumes[0].hostPath";
const app = "/run/app/app.sock";

test.for([
  ["the type Socket", { path: app, type: "Socket" }, []],
  ["a directory", { path: "/run/app", type: "Directory" }, []],
  ["a directory without a type", { path: "/run/containerd" }, []],
  ["no hostPath", undefined, []],
  ["no path", {}, []],
  ["a path that is no text", { path: 7 }, []],
  ["a like name", { path: "/run/app/app.socket" }, []],
  ["no type", { path: app }, [`fail ${at}.type`]],
  ["null", { path: app, type: null }, [`fail ${at}.type`]],
  ["an empty type checks nothing", { path: app, type: "" }, [`fail ${at}.type`]],
  ["a directory in its place", { path: app, type: "DirectoryOrCreate" }, [`fail ${at}.type`]],
  ["a file in its place", { path: app, type: "FileOrCreate" }, [`fail ${at}.type`]],
  ["another spelling", { path: app, type: "socket" }, [`fail ${at}.type`]],
  ["a trailing slash", { path: `${app}/` }, [`fail ${at}.type`]],
  ["a detour", { path: "/run/x/../app/app.sock" }, [`fail ${at}.type`]],
  ["containerd's, typed", { path: "/run/containerd/containerd.sock", type: "Socket" }, [`fail ${at}.path`]],
  ["by the old link", { path: "/var/run/containerd/containerd.sock", type: "Socket" }, [`fail ${at}.path`]],
  ["Docker's, not typed, which is one fault", { path: "/var/run/docker.sock" }, [`fail ${at}.path`]],
  ["path unknown", { path: unknown }, [`unknown ${at}.path`]],
  ["path unknown, typed", { path: unknown, type: "Socket" }, [`unknown ${at}.path`]],
  ["type unknown", { path: app, type: unknown }, [`unknown ${at}.type`]],
  ["type unknown of a directory", { path: "/run/app", type: unknown }, []],
  ["all unknown", unknown, [`unknown ${at}`]],
] as const)("%s", ([, hostPath, expected]) => {
  expect(verdicts(rule, [pod(volume(hostPath))])).toEqual(expected);
});

test("the pods of every kind", () => {
  for (const [path, of] of everyKind(volume({ path: app }))) {
    expect(verdicts(rule, [of])).toEqual([`fail ${path}.volumes[0].hostPath.type`]);
  }
});

test.for([
  [{ volumes: unknown }, ["unknown spec.volumes"]],
  [{ volumes: [unknown, { hostPath: { path: app } }] }, ["fail spec.volumes[1].hostPath.type"]],
  [{ volumes: [null, 1, "x", []] }, []],
  [{ volumes: "x" }, []],
  [unknown, ["unknown spec"]],
  [null, []],
] as const)("volumes that are none: %j", ([spec, expected]) => {
  expect(verdicts(rule, [pod(spec)])).toEqual(expected);
});

test.for([
  ["gpu-operator", []],
  ["kube-system", []],
  ["lab", [`fail ${at}.path`]],
  ["", [`fail ${at}.path`]],
  [undefined, [`fail ${at}.path`]],
  [unknown, ["unknown metadata.namespace"]],
] as const)("the runtime's socket in the namespace %j", ([namespace, expected]) => {
  const spec = volume({ path: "/run/containerd/containerd.sock", type: "Socket" });
  const given = resource("kubernetes:core/v1:Pod", { metadata: { namespace }, spec });
  expect(verdicts(rule, [given])).toEqual(expected);
});

test("the runtime's socket without a type is a fault in any namespace", () => {
  const spec = volume({ path: "/run/containerd/containerd.sock" });
  expect(verdicts(rule, [pod(spec, "kube-system")])).toEqual([`fail ${at}.type`]);
  expect(verdicts(rule, [pod(spec, unknown)])).toEqual([`fail ${at}.type`]);
});

test("which namespaces may mount it can be configured", () => {
  const spec = volume({ path: "/run/containerd/containerd.sock", type: "Socket" });
  const policyConfig = { [rule.id]: { allowNamespaces: ["lab"] } };
  expect(verdicts(rule, [pod(spec)], { policyConfig })).toEqual([]);
  expect(verdicts(rule, [pod(spec, "kube-system")], { policyConfig })).toEqual([`fail ${at}.path`]);
});

test.for([
  [{ hostPath: { path: "/data", type: "Directory" } }, []],
  [{ hostPath: { path: app } }, ["fail spec.hostPath.type"]],
  [{ hostPath: { path: "/run/docker.sock", type: "Socket" } }, ["fail spec.hostPath.path"]],
  [{ hostPath: { path: "/run/docker.sock", type: "Socket" }, claimRef: { namespace: "kube-system" } }, []],
] as const)("a persistent volume: %j", ([spec, expected]) => {
  expect(verdicts(rule, [resource("kubernetes:core/v1:PersistentVolume", { spec })])).toEqual(expected);
});

test("a pod of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [pod(volume({ path: app }))], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [pod(volume({ path: "/hunter2/docker.sock", type: "hunter2" }))]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("a patch is judged by what it says", () => {
  const patch = (hostPath: unknown) =>
    verdicts(rule, [{ ...pod(volume(hostPath)), type: "kubernetes:core/v1:PodPatch" }]);
  expect(patch({ path: "/run/containerd/containerd.sock" })).toEqual([`fail ${at}.path`]);
  expect(patch({ path: app, type: "FileOrCreate" })).toEqual([`fail ${at}.type`]);
  expect(patch({ path: app })).toEqual([]);
  expect(patch({ path: app, type: unknown })).toEqual([`unknown ${at}.type`]);
  const volumes = { type: "kubernetes:core/v1:PersistentVolumePatch", name: "it" };
  const spec = { hostPath: { path: "/run/docker.sock" }, claimRef: { namespace: "lab" } };
  expect(verdicts(rule, [resource(volumes.type, { spec })])).toEqual(["fail spec.hostPath.path"]);
});

test("messages", () => {
  const runtime = "/run/containerd/containerd.sock";
  const said = [
    pod(volume({ path: runtime, type: "FileOrCreate" })),
    pod(volume({ path: runtime, type: "FileOrCreate" }), "kube-system"),
    pod(volume({ path: app })),
  ].flatMap((one) => findings(rule, [one]));
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.volumes[0].hostPath.path: got the socket of the container runtime. A process that can write to it is root on the node. If the pod starts while the runtime restarts, a directory takes its place and the runtime cannot start again.
    fix: remove the volume, or add the namespace to "allowNamespaces" in the policy configuration",
      "spec.volumes[0].hostPath.type: got FileOrCreate. If the socket is missing when a container starts, the container runtime creates a directory in its place. The service that listens there then cannot start again.
    fix: set spec.volumes[0].hostPath.type to Socket",
      "spec.volumes[0].hostPath.type: got nothing. If the socket is missing when a container starts, the container runtime creates a directory in its place. The service that listens there then cannot start again.
    fix: mount the directory that contains the socket, or set spec.volumes[0].hostPath.type to Socket, which Kubernetes checks only when the pod starts",
    ]
  `);
});

test.for([
  ["on", {}, app, []],
  ["on", {}, "/run/containerd/containerd.sock", [`fail ${at}.path`]],
  ["on", {}, unknown, [`unknown ${at}.path`]],
  ["on", { labStacks: [] }, app, [`fail ${at}.type`]],
  ["off", {}, app, [`fail ${at}.type`]],
] as const)("in the lab that is about it, with its fault %s and %j: %s", ([fault, parameters, path, expected]) => {
  const config = { ...faultOn, "eks-gpu-lab:fault": fault };
  const options = { stack: "runtime-socket", now, config, policyConfig: { [rule.id]: parameters } };
  expect(verdicts(rule, [pod(volume({ path }))], options)).toEqual(expected);
});
