import { afterAll, beforeAll, expect, test } from "vitest";
import { labs } from "../../stacks/labs";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, empty, sharedCluster, startNodes, type Cluster } from "./support/cluster";
import { eventually } from "./support/eventually";
import type { Job } from "./support/job";
import type { Pod } from "./support/kubelet";
import { expectMessage, schedulerMessageOf } from "./support/messages";
import { planner } from "./support/planned";
import { triageLive } from "./support/triage";

const namespace = "waiting";
const pods = `/api/v1/namespaces/${namespace}/pods`;

/** A pod that asks for GPUs and other resources. */
function podSpec(limits: Readonly<Record<string, string>>) {
  const containers = [{ name: "main", image: "pause", resources: { limits, requests: limits } }];
  return { containers, restartPolicy: "Never" };
}

function pod(name: string, spec: object): KubernetesObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec };
}

/** Creates a pod until no node takes it: the scheduler learns of changed nodes a moment later. */
async function createUnplaced(cluster: Cluster, object: KubernetesObject): Promise<void> {
  const path = `${pods}/${object.metadata.name}`;
  await eventually(`${path} without a node`, async () => {
    if (!(await cluster.admin.find(path))) await applyAll(cluster, [object]);
    const { status } = await cluster.admin.get<Pod>(path);
    const scheduled = status.conditions?.find(({ type }) => type === "PodScheduled")?.status;
    if (scheduled === "True") await cluster.admin.delete(path, { gracePeriodSeconds: 0 });
    return scheduled === "False" || undefined;
  });
}

describeCluster("pods that no node takes", () => {
  const cluster = sharedCluster();
  const planned = planner();
  let nodes: readonly string[] = [];

  beforeAll(async () => {
    nodes = await startNodes(cluster, await planned("device-plugin"), labs["device-plugin"].gpuNodes);
    await applyAll(cluster, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
  });
  afterAll(() => empty(cluster));

  test("a Job ends at its deadline although its pod never had a node, and triage says so", async () => {
    const spec = { activeDeadlineSeconds: 2, template: { spec: podSpec({ "nvidia.com/gpu": "2" }) } };
    const metadata = { name: "training", namespace };
    await applyAll(cluster, [{ apiVersion: "batch/v1", kind: "Job", metadata, spec }]);
    const failed = await eventually("the failed Job", async () => {
      const { status } = await cluster.admin.get<Job>(`/apis/batch/v1/namespaces/${namespace}/jobs/training`);
      return status.conditions?.find(({ type }) => type === "Failed");
    });
    expectMessage("unscheduled Job deadline", `${failed.reason}: ${failed.message}`);
    await eventually("no pods", async () => ((await cluster.admin.list(pods)).length === 0 ? true : undefined));
    const { conclusions, evidence } = await triageLive("admin", "-n", namespace);
    expect(conclusions[0]).toBe("job-out-of-time");
    expect(evidence).toEqual(expect.arrayContaining([expect.stringContaining("Insufficient nvidia.com/gpu")]));
    await cluster.admin.delete(`/apis/batch/v1/namespaces/${namespace}/jobs/training`);
  });

  test("the deadline of a pod does not end it before it has a node: its kubelet would", async () => {
    const late = pod("late", { ...podSpec({ "nvidia.com/gpu": "2" }), activeDeadlineSeconds: 1 });
    await applyAll(cluster, [late]);
    const said = await schedulerMessageOf(cluster.admin, namespace, "late");
    const { metadata, status } = await eventually("a pod that is older than its deadline", async () => {
      const found = await cluster.admin.get<Pod>(`${pods}/late`);
      return Date.now() - Date.parse(found.metadata.creationTimestamp ?? "") > 2500 ? found : undefined;
    });
    expect({ phase: status.phase, isDeleted: "deletionTimestamp" in metadata }).toEqual({
      ...{ phase: "Pending", isDeleted: false },
    });
    expect(said).toContain("4 Insufficient nvidia.com/gpu");
    const { conclusions } = await triageLive("admin", "pod", "late", "-n", namespace);
    expect(conclusions[0]).toBe("insufficient-gpu");
    await cluster.admin.delete(`${pods}/late`);
  });

  test("a node that lacks two resources counts twice, a cordoned node once", async () => {
    const [first = "", second = ""] = nodes.filter((name) => /-64-\d\d\./.test(name));
    await cluster.admin.merge(`/api/v1/nodes/${first}`, { spec: { unschedulable: true } });
    await cluster.kubelet.setGpus(second, 0);
    await createUnplaced(cluster, pod("large", podSpec({ "nvidia.com/gpu": "1", memory: "12Gi" })));
    const said = await schedulerMessageOf(cluster.admin, namespace, "large");
    expect(said).toMatch(
      /^0\/4 nodes are available: 1 node\(s\) were unschedulable, 2 Insufficient memory, 3 Insufficient nvidia\.com\/gpu\./,
    );
    expectMessage("more reasons than nodes", said);
    const { conclusions } = await triageLive("admin", "pod", "large", "-n", namespace);
    // The cordoned node has a free GPU.
    expect(conclusions[0]).toBe("node-cordoned");
  });
});
