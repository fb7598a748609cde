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

/** The reasons of a message with their counts, in whichever words. */
function reasonsIn(message: string | undefined): string[] {
  const { reasons = [] } = schedulerMessage(message ?? "") ?? {};
  return reasons.map(({ nodes, class: kind, resource }) => [nodes, kind, resource].join(" ")).sort();
}

describeCluster("the exercise pending-pods, on the nodes of its page", () => {
  const cluster = sharedCluster();
  const planned = planner();

  beforeAll(async () => {
    cluster.kubelet.missingImages.add("registry.k8s.io/pause:0.0.0-none");
    await startNodes(cluster, await planned("device-plugin"), labs["device-plugin"].gpuNodes);
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

  test("no-image has a node, and waits for its image", async () => {
    expect(rows.filter(([, message]) => message === undefined).map(([name]) => name)).toEqual(["no-image"]);
    const pod = await eventually("a container that waits", async () => {
      const found = await cluster.admin.get<Pod>(`/api/v1/namespaces/${namespace}/pods/no-image`);
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

  test("a pod that asks for GPUs gets its toleration from the API server", async () => {
    const metadata = { name: "no-toleration", namespace };
    const resources = { limits: { "nvidia.com/gpu": "1" } };
    const any = manifests.find(({ kind }) => kind === "Pod") as Pod;
    const spec = { ...any.spec, containers: any.spec.containers.map((one) => ({ ...one, resources })) };
    await cluster.admin.apply({ ...any, metadata, spec });
    const path = `/api/v1/namespaces/${namespace}/pods/no-toleration`;
    const { spec: admitted } = await eventually("a pod with a node", async () => {
      const found = await cluster.admin.get<Pod>(path);
      return found.spec.nodeName === undefined ? undefined : found;
    });
    expect(admitted).toMatchObject({
      tolerations: expect.arrayContaining([
        { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
      ]) as unknown,
    });
  });
});
