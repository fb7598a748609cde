import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, sharedCluster, startNodes } from "./support/cluster";
import { schedulerMessageOf } from "./support/messages";
import { planner } from "./support/planned";
import { triageLive } from "./support/triage";

const roleText = /```yaml\n(apiVersion: rbac[^]*?)```/.exec(readFileSync("docs/triage.md", "utf8"))?.[1] ?? "";
const documentedRole = load(roleText) as KubernetesObject;
const bindings = "/apis/rbac.authorization.k8s.io/v1";
const namespace = "team";

const pod: KubernetesObject = {
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "training", namespace } },
  spec: { containers: [{ name: "main", image: "pause", resources: { limits: { "nvidia.com/gpu": "2" } } }] },
};

function binding(role: string, inNamespace?: string): KubernetesObject {
  const place = inNamespace === undefined ? {} : { namespace: inNamespace };
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: inNamespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name: "reader", ...place },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  };
}

describeCluster("triage of a pod that asks for two GPUs, with the rights of its user", () => {
  const cluster = sharedCluster();
  const planned = planner();
  const args = ["pod", "training", "-n", namespace] as const;

  beforeAll(async () => {
    await startNodes(cluster, await planned("device-plugin"), 2);
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    await applyAll(cluster, [space, pod, documentedRole]);
    await schedulerMessageOf(cluster.admin, namespace, "training");
  });
  beforeEach(async () => {
    await cluster.admin.delete(`${bindings}/clusterrolebindings/reader`);
    await cluster.admin.delete(`${bindings}/namespaces/${namespace}/rolebindings/reader`);
  });

  test("administrator: reads everything", async () => {
    const { conclusions, unread, err, status } = await triageLive("admin", ...args);
    expect({ first: conclusions[0], unread, err, status }).toEqual({
      ...{ first: "insufficient-gpu", unread: [], err: "", status: 1 },
    });
  });

  test("the documented role: reads everything that the administrator reads", async () => {
    await applyAll(cluster, [binding(documentedRole.metadata.name)]);
    const { conclusions, unread } = await triageLive("reader", ...args);
    const expected = await triageLive("admin", ...args);
    expect({ conclusions, unread }).toEqual({ conclusions: expected.conclusions, unread: [] });
  });

  test("view: says that nodes and the GPU Operator cannot be read", async () => {
    await applyAll(cluster, [binding("view")]);
    const { conclusions, unread } = await triageLive("reader", ...args);
    expect(conclusions[0]).toBe("insufficient-gpu");
    expect(unread.map(({ what, why }) => [what, why])).toEqual([
      ["nodes", "access denied (403)"],
      ["clusterpolicies", "access denied (403)"],
    ]);
  });

  test("one namespace: says what it cannot read outside", async () => {
    await applyAll(cluster, [binding("view", namespace)]);
    const { conclusions, unread } = await triageLive("reader", ...args);
    expect(conclusions[0]).toBe("insufficient-gpu");
    expect(new Set(unread.map(({ why }) => why))).toEqual(new Set(["access denied (403)"]));
    expect(unread.map(({ what }) => what)).toEqual(
      expect.arrayContaining(["nodes", "daemonsets", "deployments", "clusterpolicies", "pods"]),
    );
    expect(unread.filter(({ where }) => where === `namespace ${namespace}`)).toEqual([]);
  });

  test("no rights: ends with status 2, names what is denied and the role", async () => {
    const { conclusions, err, status } = await triageLive("reader", ...args);
    expect({ conclusions, status }).toEqual({ conclusions: [], status: 2 });
    expect(err).toContain("nodes: access denied (403)");
    expect(err).toContain("docs/triage.md");
  });
});
