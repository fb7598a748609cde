import { readFileSync, rmSync } from "node:fs";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { connectLocal } from "../../components/local/local-cluster";
import { labs } from "../../stacks/labs";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { poolVariants } from "../../stacks/run/pool-variants";
import type { KubernetesObject } from "./support/client";
import { applyAll, describeCluster } from "./support/cluster";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { startJob } from "./support/job";
import { KwokCluster, localSettings } from "./support/kwok-cluster";
import { LocalStack } from "./support/local-stack";
import { expectMessage, schedulerMessageOf } from "./support/messages";
import { plannedObjects, planner, type PlannedObject } from "./support/planned";
import { triageWith } from "./support/triage";

interface Node extends KubernetesObject {
  readonly status: {
    readonly allocatable: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

describeCluster("labs on a local cluster with fake GPUs", () => {
  const planned = planner();
  const cluster = new KwokCluster();

  const triage = (...args: string[]) => triageWith(cluster.kubeconfig, args);
  const podsIn = (namespace: string) => cluster.admin.list<Pod>(`/api/v1/namespaces/${namespace}/pods`);
  const gpusOf = async () => {
    const nodes = await cluster.admin.list<Node>("/api/v1/nodes?labelSelector=tier%3Dgpu");
    return nodes.map(({ status }) => status.allocatable["nvidia.com/gpu"]);
  };

  /** Creates a lab. */
  const apply = async (stack: string, config: readonly string[] = []) => {
    const objects = plannedObjects(await planned(stack, [...localSettings, ...config]));
    await cluster.apply(objects);
    return objects;
  };
  const remove = (objects: readonly PlannedObject[]) => cluster.remove(objects);

  test("the context is that of a local cluster", async () => {
    const choice = { subject: "test", contextPath: "context", confirmFix: "none" };
    const { server } = await connectLocal({ ...choice, context: "loopback", kubeconfig: cluster.kubeconfig });
    expect(server).toBe(cluster.access.server);
  });

  describe("device-plugin", () => {
    const [fault] = togglesOf(labs["device-plugin"], new Date());
    let objects: readonly PlannedObject[] = [];
    beforeAll(async () => {
      objects = await apply("device-plugin");
    });
    afterAll(() => remove(objects));

    test("the nodes get ready with the capacity of their EC2 types", async () => {
      const nodes = await eventually("four ready nodes", async () => {
        const all = await cluster.admin.list<Node>("/api/v1/nodes");
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
      if (cronJob) await startJob(cluster.admin, cronJob);
      const probe = await eventually("a probe that waits", async () =>
        (await podsIn("device-plugin")).find(({ status }) => status.phase === "Pending"),
      );
      const said = await schedulerMessageOf(cluster.admin, "device-plugin", probe.metadata.name);
      expect(said).toMatch(/^0\/4 nodes are available: 4 Insufficient nvidia\.com\/gpu\./);
      expect((await triage("-n", "device-plugin")).conclusions[0]).toBe("device-plugin-disabled");
      await apply("device-plugin");
      await eventually("the probe's end", async () => {
        const pod = await cluster.admin.find<Pod>(`/api/v1/namespaces/device-plugin/pods/${probe.metadata.name}`);
        return pod?.status.phase === "Succeeded" || undefined;
      });
      expect(await gpusOf()).toEqual(["1", "1"]);
    });
  });

  describe("the exercise pending-pods", () => {
    const exercise = loadAll(readFileSync("docs/exercises/pending-pods.yaml", "utf8")) as KubernetesObject[];
    const page = readFileSync("docs/exercises/pending-pods.md", "utf8");
    const rows = [...page.matchAll(/^\| `([\w-]+)` .+\| `([\w-]+)` +\|/gm)].map(([, name, id]) => [name, id]);
    const taint = (key: string) => ({ key, effect: "NoSchedule" });
    let objects: readonly PlannedObject[] = [];
    beforeAll(async () => {
      objects = await apply("device-plugin");
    });
    afterAll(() => remove(objects));

    /** What triage concludes of each pod, on nodes with these taints. */
    const conclusions = async (taints: Readonly<Record<string, readonly string[]>>) => {
      for (const [node, keys] of Object.entries(taints))
        await cluster.admin.merge(`/api/v1/nodes/${node}`, { spec: { taints: keys.map(taint) } });
      await eventually("the objects", async () =>
        (await applyAll(cluster, exercise)).length === 0 ? true : undefined,
      );
      const pods = await eventually("pods that were seen", async () => {
        const all = await podsIn("pending-pods");
        const isSeen = ({ status }: Pod) =>
          status.phase === "Running" || status.conditions?.some(({ reason }) => reason === "Unschedulable");
        return all.length === rows.length && all.every(isSeen) ? all : undefined;
      });
      const found: Record<string, string | undefined> = {};
      for (const { metadata, status } of pods) {
        const { conclusions } = await triage("pod", metadata.name, "-n", "pending-pods");
        found[metadata.name] = status.phase === "Running" ? "Running" : conclusions[0];
      }
      await cluster.admin.delete("/api/v1/namespaces/pending-pods");
      await eventually("the end of the namespace", async () =>
        (await cluster.admin.find("/api/v1/namespaces/pending-pods")) ? undefined : true,
      );
      return found;
    };
    // As the page says: no image is pulled.
    const expected = { ...(Object.fromEntries(rows) as Record<string, string>), "pod-7": "Running" };
    const maintenance = "example.com/maintenance";

    test("leads triage to the conclusions of its page on fake nodes", async () => {
      const gpu = ["nvidia.com/gpu", maintenance];
      expect(await conclusions({ "gpu-1": gpu, "gpu-2": gpu })).toEqual(expected);
    });

    test("and on nodes with the taints of kind", async () => {
      const gpu = [maintenance];
      const kind = { "gpu-1": gpu, "gpu-2": gpu, "system-1": ["node-role.kubernetes.io/control-plane"] };
      expect(await conclusions(kind)).toEqual(expected);
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

  describe("no-node-comes", () => {
    const name = "no-node-comes";
    const page = readFileSync(`docs/labs/${name}.md`, "utf8");
    /** Message of the scheduler, form of the fault, conclusion of triage. */
    const rows = [...page.matchAll(/^\| `(.+?)` +\| `(\w+)` +\| `([\w-]+)` +\|$/gm)].map(
      ([, message = "", variant = "", id = ""]) => [variant, message, id] as const,
    );
    const [fault] = togglesOf(labs[name], new Date());
    let initial: readonly PlannedObject[] = [];
    beforeAll(async () => {
      initial = await apply(name);
    });
    afterAll(() => remove(initial));

    test("its page has a row for each form of the fault that needs no new node", () => {
      const here = Object.entries(poolVariants).flatMap(([id, variant]) => ("notLocal" in variant ? [] : [id]));
      expect(rows.map(([variant]) => variant).sort()).toEqual(here.sort());
    });

    test.each(rows)("%s: the scheduler says %s, and triage concludes %s", async (variant, message, id) => {
      const faulty = await apply(name, [...(fault?.config ?? []), `faultVariant=${variant}`]);
      // During the rollout, a pod of the earlier form can wait, too.
      const messages = async () =>
        (await podsIn(name)).flatMap(({ status }) => status.conditions?.map((one) => one.message ?? "") ?? []);
      const wanted = `0/3 nodes are available: ${message}. `;
      const said = await eventually(wanted, async () => (await messages()).find((text) => text.includes(wanted)), {
        ...{ seconds: 30, seen: messages },
      });
      expectMessage(`fake-gpus ${name} ${variant}`, said);
      const found = async () => ((await triage("-n", name)).conclusions[0] === id ? true : undefined);
      await eventually(id, found, { seconds: 20, seen: () => triage("-n", name) });
      await apply(name);
      await remove(faulty.filter(({ line }) => !initial.some((one) => one.line === line)));
      const phases = async () => (await podsIn(name)).map(({ status }) => status.phase).join();
      await eventually("one running pod", async () => ((await phases()) === "Running" ? true : undefined), {
        seconds: 30,
      });
    });
  });

  const expectOtherStackRefused = async (name: string) => {
    const other = new LocalStack(name === "gpu-rollout" ? "device-plugin" : "gpu-rollout", cluster.kubeconfig);
    onTestFinished(() => rmSync(other.folder, { recursive: true, force: true }));
    await other.init();
    other.configure(localSettings);
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

      test.each([
        [["localCluster.gpus=mock"], "It has no node with the label tier=gpu"],
        [["localCluster.context=loopbak"], "Must be a context of the kubeconfig."],
      ])("%j is refused", async (settings, message) => {
        const stack = new LocalStack("device-plugin", cluster.kubeconfig);
        onTestFinished(() => rmSync(stack.folder, { recursive: true, force: true }));
        await stack.init();
        stack.configure([...localSettings, ...settings]);
        await expect(stack.preview()).rejects.toThrow(message);
      });

      test("a change of localCluster.gpuNodes creates a node, and localCluster.confirm changes nothing", async () => {
        const stack = new LocalStack("device-plugin", cluster.kubeconfig);
        onTestFinished(() => rmSync(stack.folder, { recursive: true, force: true }));
        await stack.init();
        stack.configure(localSettings);
        await stack.up();
        stack.configure([...localSettings, "localCluster.confirm=loopback"]);
        expect(await stack.preview()).toEqual([]);
        stack.configure([...localSettings, "localCluster.gpuNodes=3"]);
        expect(await stack.preview()).toEqual(["create Node device-plugin-gpus-gpu-3"]);
        await stack.destroy();
      });

      test.each(labsHere)(
        "%s: its fault changes what the lab states, and nothing else remains",
        async (name, lab, changes) => {
          const stack = new LocalStack(name, cluster.kubeconfig);
          onTestFinished(() => rmSync(stack.folder, { recursive: true, force: true }));
          await stack.init();
          stack.configure(localSettings);
          await stack.up();
          expect(await stack.preview()).toEqual([]);
          await expectOtherStackRefused(name);
          const [fault] = togglesOf(lab, new Date());
          stack.configure([
            ...localSettings,
            ...(fault?.config ?? []).map((one) => one.replace(/^node=.*/, "node=gpu-1")),
          ]);
          expect(await stack.preview()).toEqual([...changes].sort());
          await stack.up();
          expect(await stack.preview()).toEqual([]);
          stack.configure(localSettings);
          await stack.up();
          await stack.destroy();
          expect(await cluster.admin.list("/api/v1/nodes")).toEqual([]);
        },
      );
    },
  );
});
