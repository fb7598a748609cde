import { readFileSync } from "node:fs";
import { loadAll } from "js-yaml";
import { beforeAll, expect, test } from "vitest";
import { schedulerMessage } from "../../triage/checks/pod/scheduler-message";
import { labs } from "../../stacks/labs";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, sharedCluster, startNodes } from "./support/cluster";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { expectMessage, schedulerMessageOf } from "./support/messages";
import { planner } from "./support/planned";
import { triageLive } from "./support/triage";

const manifests = loadAll(readFileSync("docs/exercises/pending-pods.yaml", "utf8")) as KubernetesObject[];
const page = readFileSync("docs/exercises/pending-pods.md", "utf8");
const namespace = "pending-pods";
/** Pod, message of the scheduler, conclusion of triage. */
const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (.+?) +\| `([\w-]+)` +\|/gm)].map(
  ([, name = "", message = "", conclusion = ""]) => [name, /^`(.+)`$/.exec(message)?.[1], conclusion] as const,
);

interface Tainted extends KubernetesObject {
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
}

/** The reasons of a message with their counts, in whichever words. */
function reasonsIn(message: string | undefined): string[] {
  const { reasons = [] } = schedulerMessage(message ?? "") ?? {};
  return reasons.map(({ nodes, class: kind, resource }) => [nodes, kind, resource].join(" ")).sort();
}

describeCluster("the exercise pending-pods, on the nodes of its page", () => {
  const cluster = sharedCluster();
  const planned = planner();

  /** What the page's `kubectl taint` does. */
  async function taintGpuNodes(names: readonly string[]): Promise<void> {
    const [, key, value, effect] = /kubectl taint nodes -l tier=gpu (\S+)=(\w+):(\w+)/.exec(page) ?? [];
    for (const path of names.map((name) => `/api/v1/nodes/${name}`)) {
      const { metadata, spec } = await cluster.admin.get<Tainted>(path);
      if (metadata.labels?.["tier"] !== "gpu") continue;
      await cluster.admin.merge(path, { spec: { taints: [...(spec.taints ?? []), { key, value, effect }] } });
    }
  }

  beforeAll(async () => {
    cluster.kubelet.missingImages.add("registry.k8s.io/pause:0.0.0-none");
    const names = await startNodes(cluster, await planned("device-plugin"), labs["device-plugin"].gpuNodes);
    await taintGpuNodes(names);
    expect(await applyAll(cluster, manifests)).toEqual([]);
  });

  test.each(rows.flatMap(([name, message]) => (message === undefined ? [] : [[name, message] as const])))(
    "%s waits for the reasons that the page states",
    async (name, message) => {
      const said = await schedulerMessageOf(cluster.admin, namespace, name);
      expect(reasonsIn(said)).toEqual(reasonsIn(message));
      expectMessage(`pending-pods ${name}`, said);
    },
  );

  test("pod-7 has a node, and waits for its image", async () => {
    expect(rows.filter(([, message]) => message === undefined).map(([name]) => name)).toEqual(["pod-7"]);
    const pod = await eventually("a container that waits", async () => {
      const found = await cluster.admin.get<Pod>(`/api/v1/namespaces/${namespace}/pods/pod-7`);
      return JSON.stringify(found.status).includes("ImagePullBackOff") ? found : undefined;
    });
    expect(pod.spec.nodeName).toBeDefined();
    expect(pod.status.phase).toBe("Pending");
  });

  test.each(rows)("%s leads triage to the conclusion that the page states", async (name, _, conclusion) => {
    const { conclusions, err } = await triageLive("admin", "pod", name, "-n", namespace);
    expect(err).toBe("");
    expect(conclusions[0]).toBe(conclusion);
  });

  test("pod-3 got the toleration of nvidia.com/gpu from the API server, and starts without the other taint", async () => {
    const added = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
    const path = `/api/v1/namespaces/${namespace}/pods/pod-3`;
    expect(manifests.find(({ metadata }) => metadata.name === "pod-3")).not.toHaveProperty("spec.tolerations");
    const { spec } = await cluster.admin.get<Pod>(path);
    expect(spec).toMatchObject({ tolerations: expect.arrayContaining(added) as unknown });
    for (const { metadata, spec: node } of await cluster.admin.list<Tainted>("/api/v1/nodes")) {
      const taints = (node.taints ?? []).filter(({ key }) => key !== "example.com/maintenance");
      await cluster.admin.merge(`/api/v1/nodes/${metadata.name}`, { spec: { taints } });
    }
    await eventually("a pod with a node", async () => (await cluster.admin.get<Pod>(path)).spec.nodeName);
  });

  test("a node that lacks two things counts twice", async () => {
    const any = manifests.find(({ metadata }) => metadata.name === "pod-2") as Pod;
    const limits = { cpu: "64", "nvidia.com/gpu": "8" };
    const containers = any.spec.containers.map((one) => ({ ...one, resources: { limits } }));
    const metadata = { name: "too-much", namespace };
    await cluster.admin.apply({ ...any, metadata, spec: { ...any.spec, containers } });
    const said = await schedulerMessageOf(cluster.admin, namespace, "too-much");
    expect(said).toMatch(/^0\/4 nodes are available: 4 Insufficient cpu, 4 Insufficient nvidia\.com\/gpu\./);
  });
});
