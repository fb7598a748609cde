import { afterEach, beforeEach, expect, test } from "vitest";
import type { Recording } from "../../planner/record/record";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, empty, sharedCluster, startNodes } from "./support/cluster";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { kubectl } from "./support/kubeconfig";
import { eventOf, expectMessage, schedulerMessageOf } from "./support/messages";
import { clusterPoliciesOf, manifestsOf, planner } from "./support/planned";
import { triageLive } from "./support/triage";

const [fault] = togglesOf(labs["device-plugin"], new Date());
const namespace = "device-plugin";
const policy = "/apis/nvidia.com/v1/clusterpolicies/cluster-policy";

/** What the chart creates, as far as triage reads it. */
function chartOf(recording: Recording): KubernetesObject[] {
  const labels = { app: "gpu-operator", "app.kubernetes.io/component": "gpu-operator" };
  const containers = [{ name: "gpu-operator", image: "nvcr.io/nvidia/gpu-operator:v26.3.1" }];
  const template = { metadata: { labels }, spec: { containers } };
  return [
    {
      ...{ apiVersion: "apps/v1", kind: "Deployment" },
      metadata: { name: "gpu-operator", namespace: "gpu-operator", labels },
      spec: { selector: { matchLabels: labels }, template },
    },
    ...clusterPoliciesOf(recording),
  ];
}

describeCluster("the lab device-plugin on two GPU nodes", () => {
  const cluster = sharedCluster();
  const planned = planner();
  let gpuNodes: readonly string[] = [];

  beforeEach(async () => {
    const recording = await planned("device-plugin", fault?.config);
    const nodes = await startNodes(cluster, recording, labs["device-plugin"].gpuNodes);
    gpuNodes = nodes.filter((name) => /-64-\d\d\./.test(name));
    expect(gpuNodes).toHaveLength(2);
    for (const name of gpuNodes) await cluster.kubelet.setGpus(name, 0);
    expect(await applyAll(cluster, [...manifestsOf(recording), ...chartOf(recording)])).toEqual([]);
    await cluster.admin.merge(`${policy}/status`, { status: { state: "ready" } });
  });
  afterEach(async () => {
    await empty(cluster);
  });

  test("the fault: a probe waits for a GPU that no node offers, and the repair places it", async () => {
    const job = kubectl("create", "job", "probe", "--from=cronjob/gpu-probe", "-n", namespace);
    expect(job).toEqual({ status: 0, text: "job.batch/probe created\n" });
    const ofJob = `/api/v1/namespaces/${namespace}/pods?labelSelector=job-name%3Dprobe`;
    const probe = await eventually("the pod of the Job", async () => (await cluster.admin.list<Pod>(ofJob))[0]);
    const { name } = probe.metadata;
    const said = await schedulerMessageOf(cluster.admin, namespace, name);
    expect(said).toMatch(/^0\/4 nodes are available: 4 Insufficient nvidia\.com\/gpu\./);
    expectMessage("device-plugin fault", said);
    const { conclusions } = await triageLive("admin", "-n", namespace);
    expect(conclusions).toEqual(expect.arrayContaining(["device-plugin-missing", "insufficient-gpu"]));
    expect(conclusions[0]).toBe("device-plugin-disabled");

    for (const node of gpuNodes) await cluster.kubelet.setGpus(node, 1);
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    const placed = await eventually("the probe, Running", async () => {
      const pod = await cluster.admin.get<Pod>(path);
      return pod.status.phase === "Running" ? pod : undefined;
    });
    expect(gpuNodes).toContain(placed.spec.nodeName);
    expectMessage("device-plugin repaired", await eventOf(cluster.admin, namespace, "Scheduled"));
    await cluster.kubelet.finish(placed, "Succeeded");
    await eventually("the Job, complete", async () => {
      const { status } = await cluster.admin.get(`/apis/batch/v1/namespaces/${namespace}/jobs/probe`);
      return JSON.stringify(status).includes('"succeeded":1') || undefined;
    });
  });
});
