import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import { labKeys } from "../../stacks/run/lab";
import { remediesOf } from "../support/labs";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster, empty, sharedCluster, startNodes } from "./support/cluster";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { kubectl } from "./support/kubeconfig";
import { nodesOf } from "./support/nodes";
import { eventOf, expectMessage, schedulerMessageOf } from "./support/messages";
import { manifestsOf, planner } from "./support/planned";
import { triageLive } from "./support/triage";

const lab = labs["gpu-rollout"];
const namespace = "gpu-rollout";
const deployment = `/apis/apps/v1/namespaces/${namespace}/deployments/inference`;
const [fault] = togglesOf(lab, new Date());

interface Deployment extends KubernetesObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: {
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  };
}

const revisionOf = ({ metadata }: KubernetesObject) =>
  (metadata as { annotations?: Readonly<Record<string, string>> }).annotations?.["eks-gpu-lab/revision"];

describeCluster("the lab gpu-rollout on one GPU node", () => {
  const cluster = sharedCluster();
  const planned = planner();
  const apply = async (config: readonly string[] = []) =>
    expect(await applyAll(cluster, manifestsOf(await planned("gpu-rollout", config)))).toEqual([]);
  const pods = () => cluster.admin.list<Pod>(`/api/v1/namespaces/${namespace}/pods`);
  const running = (revision: string) =>
    eventually(
      `only a pod of revision ${revision}, Running`,
      async () => {
        const all = await pods();
        return all.length === 1 && all.every((pod) => revisionOf(pod) === revision && pod.status.phase === "Running")
          ? all[0]
          : undefined;
      },
      { seconds: 30, seen: pods },
    );
  const waiting = () =>
    eventually("a pod that waits", async () => (await pods()).find(({ status }) => status.phase === "Pending"));

  beforeEach(async () => {
    await startNodes(cluster, await planned("gpu-rollout"), lab.gpuNodes);
    await apply();
    const { spec } = await running("1");
    expect(spec.nodeName).toBe(labKeys.node.example);
    await apply(fault?.config);
    await waiting();
  });
  afterEach(() => empty(cluster));

  test("the fault: the new pod waits, the old one keeps its GPU, and nothing is preempted", async () => {
    const { metadata } = await waiting();
    const said = await schedulerMessageOf(cluster.admin, namespace, metadata.name);
    expect(await eventOf(cluster.admin, namespace, "FailedScheduling")).toBe(`FailedScheduling: ${said}`);
    expectMessage("gpu-rollout fault", `FailedScheduling: ${said}`);
    expect(said).toMatch(/^0\/3 nodes are available: 1 Insufficient nvidia\.com\/gpu, 2 node\(s\) didn't match/);
    expect(said).toContain("1 No preemption victims found for incoming pod");
    expect((await pods()).map((pod) => [revisionOf(pod), pod.status.phase]).sort()).toEqual([
      ["1", "Running"],
      ["2", "Pending"],
    ]);
    const rollout = kubectl("rollout", "status", "deployment/inference", "-n", namespace, "--timeout=1s");
    expect(rollout.status).toBe(1);
    expectMessage("gpu-rollout rollout status", rollout.text.split("\n")[0] ?? "");
    const { status } = await cluster.admin.get<Deployment>(deployment);
    expect(status).toMatchObject({ replicas: 2, updatedReplicas: 1, readyReplicas: 1 });
    const { conclusions } = await triageLive("admin", "-n", namespace);
    expect(conclusions[0]).toBe("rollout-deadlock");
    // The lab's deadline is ten minutes. Its end changes nothing about the pods.
    await cluster.admin.merge(deployment, { spec: { progressDeadlineSeconds: 1 } });
    const progressing = await eventually("the deadline", async () => {
      const { conditions = [] } = (await cluster.admin.get<Deployment>(deployment)).status;
      return conditions.find(({ type, status: value }) => type === "Progressing" && value === "False");
    });
    expectMessage("gpu-rollout progress deadline", `${progressing.reason}: ${progressing.message}`);
    expect((await pods()).map((pod) => [revisionOf(pod), pod.status.phase]).sort()).toEqual([
      ["1", "Running"],
      ["2", "Pending"],
    ]);
  });

  describe("a remedy ends it as the lab states", () => {
    const config = (name: string) => remediesOf(lab, new Date()).find((remedy) => remedy.name === name)?.config ?? [];

    test.each(["in-place", "recreate"])("%s: the old pod ends first, the new one gets its GPU", async (name) => {
      await apply(config(name));
      const { spec } = await running("2");
      expect(spec.nodeName).toBe(labKeys.node.example);
      const preempted = await cluster.admin.list(
        `/api/v1/namespaces/${namespace}/events?fieldSelector=reason%3DPreempted`,
      );
      expect(preempted).toEqual([]);
    });

    test("priority: the new pod evicts the old one", async () => {
      await apply(config("priority"));
      const { spec } = await running("2");
      expect(spec.nodeName).toBe(labKeys.node.example);
      expectMessage("gpu-rollout preempted", await eventOf(cluster.admin, namespace, "Preempted"));
    });

    test("affinity: the new pod waits for a second node, and gets it", async () => {
      const before = (await waiting()).metadata.name;
      await apply(config("affinity"));
      const { metadata } = await eventually("another pod that waits", async () => {
        const all = await pods();
        return all.find((pod) => pod.status.phase === "Pending" && pod.metadata.name !== before);
      });
      expectMessage("gpu-rollout affinity", await schedulerMessageOf(cluster.admin, namespace, metadata.name));
      const second = nodesOf(await planned("gpu-rollout"), 2).find(
        (node) =>
          node.status !== undefined &&
          "nvidia.com/gpu.present" in (node.metadata.labels ?? {}) &&
          node.metadata.name !== labKeys.node.example,
      );
      if (!second) throw new Error("The plan has no second node.");
      await cluster.kubelet.addNodes([second]);
      const { spec } = await running("2");
      expect(spec.nodeName).toBe(second.metadata.name);
    });
  });
});
