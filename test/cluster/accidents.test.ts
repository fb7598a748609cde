import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import { remediesOf } from "../support/labs";
import { applyAll, describeCluster, empty, sharedCluster, startNodes } from "./support/cluster";
import { eventually } from "./support/eventually";
import type { Job } from "./support/job";
import type { Pod } from "./support/kubelet";
import { expectMessage } from "./support/messages";
import { manifestsOf, planner } from "./support/planned";
import { triageLive } from "./support/triage";

describeCluster("accidents of single labs", () => {
  const cluster = sharedCluster();
  const planned = planner();
  let nodes: readonly string[] = [];

  const start = async (name: "nccl-block" | "node-health" | "runtime-socket", config: readonly string[] = []) => {
    const recording = await planned(name, config);
    nodes = await startNodes(cluster, recording, labs[name].gpuNodes);
    expect(await applyAll(cluster, manifestsOf(recording))).toEqual([]);
  };
  const podsOf = (namespace: string) => cluster.admin.list<Pod>(`/api/v1/namespaces/${namespace}/pods`);
  const running = (namespace: string, count: number) =>
    eventually(
      `${count} running pods`,
      async () => {
        const pods = (await podsOf(namespace)).filter(({ status }) => status.phase === "Running");
        return pods.length === count ? pods : undefined;
      },
      { seconds: 30, seen: () => podsOf(namespace) },
    );
  afterEach(() => empty(cluster));

  describe("nccl-block", () => {
    const namespace = "nccl-block";
    const job = `/apis/batch/v1/namespaces/${namespace}/jobs/all-reduce`;
    const failed = () =>
      eventually("the failed Job", async () => {
        const { conditions = [] } = (await cluster.admin.get<Job>(job)).status;
        return conditions.find(({ type }) => type === "Failed");
      });
    beforeEach(() => start("nccl-block"));

    const failHalf = async () => {
      const [first, second] = await running(namespace, 2);
      if (!first || !second) throw new Error("There are not two pods.");
      expect(new Set([first.spec.nodeName, second.spec.nodeName]).size).toBe(2);
      await cluster.kubelet.finish(first, "Succeeded");
      await cluster.kubelet.finish(second, "Failed");
      return failed();
    };
    const deletePods = async () => {
      for (const { metadata } of await podsOf(namespace)) {
        await cluster.admin.delete(`/api/v1/namespaces/${namespace}/pods/${metadata.name}`);
      }
      await eventually("no pods", async () => ((await podsOf(namespace)).length === 0 ? true : undefined));
    };

    test("the Job runs on two nodes; one failed index fails it, also when its pods are gone", async () => {
      const { reason, message } = await failHalf();
      expectMessage("nccl-block failed", `${reason}: ${message}`);
      expect((await triageLive("admin", "-n", namespace)).conclusions[0]).toBe("job-failed");
      await deletePods();
      expect((await triageLive("admin", "-n", namespace)).conclusions[0]).toBe("job-failed");
    });

    test("a triage of the whole cluster finds the Job whose pods are gone", async () => {
      await failHalf();
      await deletePods();
      expect((await triageLive("admin")).conclusions).toContain("job-failed");
    });

    test("the deadline of the Job ends its pods", async () => {
      await running(namespace, 2);
      await cluster.admin.merge(job, { spec: { activeDeadlineSeconds: 1 } });
      const { reason, message } = await failed();
      expectMessage("nccl-block deadline", `${reason}: ${message}`);
      await eventually("no pods", async () => ((await podsOf(namespace)).length === 0 ? true : undefined));
      expect((await triageLive("admin", "-n", namespace)).conclusions[0]).toBe("job-out-of-time");
    });
  });

  test("node-health: the node stays Ready, and triage finds the sick GPU", async () => {
    await start("node-health");
    const [pod] = await running("node-health", 1);
    const sick = pod?.spec.nodeName ?? "";
    expect(nodes).toContain(sick);
    await cluster.kubelet.addCondition(sick, {
      ...{ type: "AcceleratedHardwareReady", status: "False", reason: "NvidiaDoubleBitError" },
      message: "detected 1 Nvidia Double Bit error(s)",
    });
    const { conclusions } = await triageLive("admin");
    expect(conclusions[0]).toBe("accelerated-hardware-not-ready");
    expect((await triageLive("admin", "node", sick)).conclusions[0]).toBe("accelerated-hardware-not-ready");
  });

  describe("model-server with mock GPUs", () => {
    const namespace = "model-server";
    const onMock = ["localCluster.context=laptop", "localCluster.gpus=mock"];

    test.each([{ name: "no fault", config: [] }, ...togglesOf(labs[namespace], new Date())])(
      "$name: the container that plays the server is accepted without a warning, and runs",
      async ({ config }) => {
        nodes = await startNodes(cluster, await planned(namespace), 1);
        expect(await applyAll(cluster, manifestsOf(await planned(namespace, [...onMock, ...config])))).toEqual([]);
        const [pod] = await running(namespace, 1);
        expect(nodes).toContain(pod?.spec.nodeName);
      },
    );
  });

  describe("runtime-socket", () => {
    const namespace = "runtime-socket";
    const lab = labs[namespace];
    const [fault] = togglesOf(lab, new Date());
    const [typed] = remediesOf(lab, new Date());

    test("the fault: the pod completes, and triage names its mount", async () => {
      await start("runtime-socket", fault?.config);
      const [pod] = await running(namespace, 1);
      if (!pod) throw new Error("There is no pod.");
      await cluster.kubelet.finish(pod, "Succeeded");
      expect((await triageLive("admin")).conclusions).toContain("socket-mount-untyped");
    });

    test("the remedy: the pod waits for the socket, and starts as soon as it exists", async () => {
      await start("runtime-socket", typed?.config);
      const events = `/api/v1/namespaces/${namespace}/events?fieldSelector=reason%3DFailedMount`;
      const event = await eventually("the event", async () => (await cluster.admin.list(events))[0]);
      expect(event["message"]).toMatch(/hostPath type check failed: .+ is not a socket file$/);
      const { conclusions } = await triageLive("admin", "pod", "node-info", "-n", namespace);
      expect(conclusions[0]).toBe("volume-mount");
      cluster.kubelet.sockets.add("/run/eks-gpu-lab/runtime.sock");
      await running(namespace, 1);
      cluster.kubelet.sockets.delete("/run/eks-gpu-lab/runtime.sock");
    });
  });
});
