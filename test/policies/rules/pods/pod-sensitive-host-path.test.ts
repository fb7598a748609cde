import { expect, test } from "vitest";
import { podSensitiveHostPath as rule } from "../../../../policies/rules/pods/pod-sensitive-host-path";
import { everyKind, pod } from "../../support/pods";
import { findings, unknown, verdicts } from "../../support/verdicts";

const volume = (path: unknown) => ({ volumes: [{ hostPath: { path } }] });
const at = "spec.volumes[0].hostPath.path";

test.for([
  ["/data", []],
  ["/mnt/models", []],
  ["/opt/etc", []],
  ["/etcetera", []],
  ["/var/log/app", []],
  ["/var/lib/app", []],
  ["/run/app", []],
  ["/dev/shm", []],
  ["/etc/localtime", []],
  ["/run/containerd/containerd.sock", []],
  ["/dev/hugepages/x", []],
  ["/etc/timezone", []],
  ["/sys/class/infiniband", []],
  ["/boot", [`fail ${at}`]],
  ["/lib", [`fail ${at}`]],
  ["/lib/modules/6.1", [`fail ${at}`]],
  ["/usr/bin", [`fail ${at}`]],
  ["/var", [`fail ${at}`]],
  ["/var/lib/containerd", [`fail ${at}`]],
  [7, []],
  [null, []],
  ["/", [`fail ${at}`]],
  ["//", [`fail ${at}`]],
  ["/etc", [`fail ${at}`]],
  ["/etc/", [`fail ${at}`]],
  ["/etc/kubernetes/pki", [`fail ${at}`]],
  ["/data/../etc", [`fail ${at}`]],
  ["/dev", [`fail ${at}`]],
  ["/dev/nvidia0", [`fail ${at}`]],
  ["/proc", [`fail ${at}`]],
  ["/sys/fs/cgroup", [`fail ${at}`]],
  ["/root", [`fail ${at}`]],
  ["/run", [`fail ${at}`]],
  ["/var/run", [`fail ${at}`]],
  ["/var/run/containerd", [`fail ${at}`]],
  ["/var/lib", [`fail ${at}`]],
  ["/var/lib/kubelet/pods", [`fail ${at}`]],
  [unknown, [`unknown ${at}`]],
] as const)("%j", ([path, expected]) => {
  expect(verdicts(rule, [pod(volume(path))])).toEqual(expected);
});

test.for([
  [{ volumes: [{ emptyDir: {} }] }, []],
  [{ volumes: [{ hostPath: unknown }] }, ["unknown spec.volumes[0].hostPath"]],
  [{ volumes: unknown }, ["unknown spec.volumes"]],
  [{ volumes: [unknown, { hostPath: { path: "/etc" } }] }, ["fail spec.volumes[1].hostPath.path"]],
] as const)("volumes: %j", ([spec, expected]) => {
  expect(verdicts(rule, [pod(spec)])).toEqual(expected);
});

test("the pods of every kind", () => {
  for (const [path, of] of everyKind(volume("/proc"))) {
    expect(verdicts(rule, [of])).toEqual([`fail ${path}.volumes[0].hostPath.path`]);
  }
});

test("namespaces, directories and names can be configured", () => {
  const said = (path: string, config: object, namespace: unknown = "lab") =>
    verdicts(rule, [pod(volume(path), namespace)], { policyConfig: { [rule.id]: { ...config } } });
  expect(said("/etc", {}, "monitoring")).toEqual([]);
  expect(said("/etc", {}, unknown)).toEqual(["unknown metadata.namespace"]);
  expect(said("/etc", { allowNamespaces: ["lab"] })).toEqual([]);
  expect(said("/data/x", { directories: ["/data/"] })).toEqual([`fail ${at}`]);
  expect(said("/etc", { directories: [] })).toEqual([]);
  expect(said("/etc/ssl", { harmless: ["/etc/ssl"] })).toEqual([]);
  expect(said("/etc", { exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [pod(volume("/etc/hunter2"))]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  expect(findings(rule, [pod(volume("/"))])[0]?.message).toMatchInlineSnapshot(`
    "spec.volumes[0].hostPath.path: got a system directory of the node. A pod that writes there changes the node and every other pod on it. A pod that reads there can get their secrets.
    fix: use a volume such as emptyDir, or a dedicated directory in /opt or /mnt"
  `);
});
