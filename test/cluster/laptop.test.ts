import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { connectLocal } from "../../components/local/local-cluster";
import { labs } from "../../stacks/labs";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { Client, type KubernetesObject } from "./support/client";
import { applyAll, describeCluster } from "./support/cluster";
import { startControlPlane, type ControlPlane } from "./support/control-plane";
import { eventually } from "./support/eventually";
import { findControlPlane } from "./support/find-control-plane";
import type { Pod } from "./support/kubelet";
import { startJob } from "./support/job";
import { kubeconfigFile } from "./support/kubeconfig";
import { findKwok, startKwok } from "./support/kwok";
import { LocalStack } from "./support/local-stack";
import { schedulerMessageOf } from "./support/messages";
import { plannedObjects, planner } from "./support/planned";
import { triageWith } from "./support/triage";

interface Node extends KubernetesObject {
  readonly status: {
    readonly allocatable: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const local = ["localCluster.context=loopback", "localCluster.gpus=fake"];

/** KWOK and a control plane of their own: the objects of fake GPUs are cluster-wide. */
describeCluster("labs on a local cluster with fake GPUs", () => {
  const planned = planner();
  let controlPlane: ControlPlane;
  let stopKwok: () => Promise<void>;
  let admin: Client;

  beforeAll(async () => {
    const [binary, kwok] = [findControlPlane(), findKwok()];
    if ("why" in binary) throw new Error(binary.why);
    if ("why" in kwok) throw new Error(kwok.why);
    controlPlane = await startControlPlane(binary.path);
    admin = new Client(controlPlane.access);
    stopKwok = await startKwok(kwok.path, controlPlane.access);
  }, 1_200_000);
  afterAll(async () => {
    await stopKwok();
    await controlPlane.stop();
  });

  const kubeconfig = () => kubeconfigFile("admin", controlPlane.access);
  const triage = (...args: string[]) => triageWith(kubeconfig(), args);
  const podsIn = (namespace: string) => admin.list<Pod>(`/api/v1/namespaces/${namespace}/pods`);
  const gpusOf = async () => {
    const nodes = await admin.list<Node>("/api/v1/nodes?labelSelector=tier%3Dgpu");
    return nodes.map(({ status }) => status.allocatable["nvidia.com/gpu"]);
  };

  /** Creates a lab, one object after the other: a kind exists some time after its definition. */
  const apply = async (stack: string, config: readonly string[] = []) => {
    const objects = plannedObjects(await planned(stack, [...local, ...config]));
    for (const { line, manifest } of objects) {
      await eventually(line, () => applyAll({ admin }, [manifest]).catch(retryUnknownKind), { seconds: 20 });
    }
    return objects;
  };
  const retryUnknownKind = (error: Error) => {
    if (!/has no|could not find the requested resource|404/.test(error.message)) throw error;
    return undefined;
  };
  const remove = async (objects: Awaited<ReturnType<typeof apply>>) => {
    for (const { manifest } of [...objects].reverse()) {
      const path = await admin.pathOf(manifest);
      await admin.delete(path);
      await eventually(`the end of ${path}`, async () => ((await admin.find(path)) ? undefined : true), {
        seconds: 60,
      });
    }
  };

  test("the context is that of a local cluster", async () => {
    const choice = { subject: "test", contextPath: "context", confirmFix: "none" };
    const cluster = await connectLocal({ ...choice, context: "loopback", kubeconfig: kubeconfig() });
    expect(cluster.server).toBe(controlPlane.access.server);
  });

  describe("device-plugin", () => {
    const [fault] = togglesOf(labs["device-plugin"], new Date());
    let objects: Awaited<ReturnType<typeof apply>> = [];
    beforeAll(async () => {
      objects = await apply("device-plugin");
    });
    afterAll(() => remove(objects));

    test("the nodes get ready with the capacity of their EC2 types", async () => {
      const nodes = await eventually("four ready nodes", async () => {
        const all = await admin.list<Node>("/api/v1/nodes");
        const ready = all.filter(({ status }) =>
          status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True"),
        );
        return ready.length === 4 ? ready : undefined;
      });
      expect(nodes.map(({ metadata, status }) => [metadata.name, status.allocatable])).toEqual([
        ["gpu-1", { cpu: "4", "ephemeral-storage": "100Gi", memory: "16Gi", "nvidia.com/gpu": "1", pods: "58" }],
        ["gpu-2", { cpu: "4", "ephemeral-storage": "100Gi", memory: "16Gi", "nvidia.com/gpu": "1", pods: "58" }],
        ["system-1", { cpu: "2", "ephemeral-storage": "100Gi", memory: "4Gi", pods: "17" }],
        ["system-2", { cpu: "2", "ephemeral-storage": "100Gi", memory: "4Gi", pods: "17" }],
      ]);
    });

    test("the operator and its device plugin run", async () => {
      await eventually("three running pods", async () => {
        const running = (await podsIn("gpu-operator")).filter(({ status }) => status.phase === "Running");
        return running.length === 3 || undefined;
      });
    });

    test("a healthy cluster has no cause", async () => {
      expect((await triage()).conclusions).toEqual([]);
    });

    test("the fault changes what the lab states; a probe waits, and triage finds the cause; its end restores all", async () => {
      await apply("device-plugin", fault?.config);
      const gone = objects.filter(({ line }) => line === "DaemonSet device-plugin-gpus-device-plugin");
      expect(gone).toHaveLength(1);
      await remove(gone);
      await eventually("no GPU", async () => ((await gpusOf()).every((gpus) => gpus === "0") ? true : undefined));
      const [cronJob] = objects.flatMap(({ line, manifest }) => (line === "CronJob gpu-probe" ? [manifest] : []));
      if (cronJob) await startJob(admin, cronJob);
      const probe = await eventually("a probe that waits", async () =>
        (await podsIn("device-plugin")).find(({ status }) => status.phase === "Pending"),
      );
      const said = await schedulerMessageOf(admin, "device-plugin", probe.metadata.name);
      expect(said).toMatch(/^0\/4 nodes are available: 4 Insufficient nvidia\.com\/gpu\./);
      expect((await triage("-n", "device-plugin")).conclusions[0]).toBe("device-plugin-disabled");
      await apply("device-plugin");
      await eventually("the probe's end", async () => {
        const pod = await admin.find<Pod>(`/api/v1/namespaces/device-plugin/pods/${probe.metadata.name}`);
        return pod?.status.phase === "Succeeded" || undefined;
      });
      expect(await gpusOf()).toEqual(["1", "1"]);
    });
  });

  test("gpu-rollout: the fault deadlocks, and in-place ends it", async () => {
    const [fault] = togglesOf(labs["gpu-rollout"], new Date());
    const config = (fault?.config ?? []).map((one) => one.replace(/^node=.*/, "node=gpu-1"));
    const objects = await apply("gpu-rollout");
    const phases = async () => (await podsIn("gpu-rollout")).map(({ status }) => status.phase).sort();
    await eventually("one running pod", async () => ((await phases()).join() === "Running" ? true : undefined));
    await apply("gpu-rollout", config);
    await eventually("the deadlock", async () => ((await phases()).join() === "Pending,Running" ? true : undefined));
    expect((await triage("-n", "gpu-rollout")).conclusions[0]).toBe("rollout-deadlock");
    await apply("gpu-rollout", [...config, "remedy=in-place"]);
    await eventually("one running pod", async () => ((await phases()).join() === "Running" ? true : undefined));
    await remove(objects);
  });

  const expectOtherStackRefused = async (name: string) => {
    const other = new LocalStack(name === "gpu-rollout" ? "device-plugin" : "gpu-rollout", kubeconfig());
    onTestFinished(() => rmSync(other.folder, { recursive: true, force: true }));
    await other.init();
    other.configure(local);
    await expect(other.preview()).rejects.toThrow(
      `The cluster already has the fake GPUs ${name}-gpus of another stack.`,
    );
  };

  describe.skipIf(inject("pulumi") === undefined || inject("kubernetesProvider") === undefined)(
    "with pulumi up",
    () => {
      const labsHere = Object.entries<Lab>(labs).flatMap(([name, lab]) =>
        typeof lab.local === "string" || !lab.local.fake ? [] : [[name, lab, lab.local.fake] as const],
      );

      test.each(labsHere)(
        "%s: its fault changes what the lab states, and nothing else remains",
        async (name, lab, changes) => {
          const stack = new LocalStack(name, kubeconfig());
          onTestFinished(() => rmSync(stack.folder, { recursive: true, force: true }));
          await stack.init();
          stack.configure(local);
          await stack.up();
          expect(await stack.preview()).toEqual([]);
          await expectOtherStackRefused(name);
          const [fault] = togglesOf(lab, new Date());
          stack.configure([...local, ...(fault?.config ?? []).map((one) => one.replace(/^node=.*/, "node=gpu-1"))]);
          expect(await stack.preview()).toEqual([...changes].sort());
          await stack.up();
          expect(await stack.preview()).toEqual([]);
          stack.configure(local);
          await stack.up();
          await stack.destroy();
          expect(await admin.list("/api/v1/nodes")).toEqual([]);
        },
      );
    },
  );
});
