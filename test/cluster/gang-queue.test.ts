import { Provider } from "@pulumi/kubernetes/provider";
import { beforeAll, expect, test } from "vitest";
import { FakeGpus, GangQueue } from "../../components";
import { labs } from "../../stacks/labs";
import { togglesOf } from "../../stacks/run/lab";
import { remediesOf } from "../support/labs";
import { plan } from "../support/plan";
import type { KubernetesObject } from "./support/client";
import { describeControllers } from "./support/controllers";
import { eventually } from "./support/eventually";
import type { Pod } from "./support/kubelet";
import { Kueue } from "./support/kueue";
import { KwokCluster } from "./support/kwok-cluster";
import { expectMessage } from "./support/messages";
import { plannedObjects, planner } from "./support/planned";
import { triageWith } from "./support/triage";

const namespace = "research";
const statefulSets = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;

interface Workload extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  };
}

/** A run that holds one GPU until rank 0 is ready for a while, if Kubernetes starts its ranks. */
function run(name: string, { ranks = 2, queue = "gpu" } = {}): KubernetesObject {
  const labels = { run: name };
  const containers = [{ name: "rank", image: "pause", resources: { limits: { "nvidia.com/gpu": "1" } } }];
  const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists" }];
  const spec = { containers, terminationGracePeriodSeconds: 0, nodeSelector: { tier: "gpu" }, tolerations };
  return {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet" },
    metadata: { name, namespace, ...(queue !== "" && { labels: { "kueue.x-k8s.io/queue-name": queue } }) },
    spec: {
      ...{ serviceName: name, replicas: ranks, podManagementPolicy: "OrderedReady", minReadySeconds: 2 },
      ...{ selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  };
}

describeControllers("runs in the queue of a GangQueue with a quota of two GPUs", () => {
  const cluster = new KwokCluster();
  const planned = () =>
    plan(() => {
      const provider = new Provider("cluster", { kubeconfig: "{}" });
      new FakeGpus("fake", { gpuNodes: 2 }, { provider });
      new GangQueue("gpus", { gpuQuota: 2, namespaces: [namespace], podsReadyTimeoutSeconds: 15 }, { provider });
    });
  new Kueue(cluster, planned);

  const podsOf = async (name: string) => {
    const all = await cluster.admin.list<Pod>(`/api/v1/namespaces/${namespace}/pods?labelSelector=run%3D${name}`);
    return all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  };
  const stateOf = async (name: string) => {
    const pods = await podsOf(name);
    const isHeld = ({ spec }: Pod) => "schedulingGates" in spec;
    return pods
      .map((pod) => (isHeld(pod) ? "held" : pod.status.phase))
      .sort()
      .join();
  };
  const stateIs = (name: string, wanted: string, seconds = 60) => {
    const seen = async () => [await stateOf(name), await conditions()];
    return eventually(`${name}: ${wanted}`, async () => ((await stateOf(name)) === wanted ? true : undefined), {
      seconds,
      seen,
    });
  };
  const workloads = () =>
    cluster.admin.list<Workload>(`/apis/kueue.x-k8s.io/v1beta2/namespaces/${namespace}/workloads`);
  const conditions = async () => {
    const all = await workloads();
    return all.map(({ metadata, status }) => [
      metadata.name,
      status?.conditions?.map(({ type, status, message }) => [type, status, message].join(" ")),
    ]);
  };
  /** What Kueue says about a run, as `Reason: message`. */
  const conditionOf = (name: string, type: string, pattern: RegExp) =>
    eventually(
      `${type} of ${name}`,
      async () => {
        const own = (await workloads()).find(({ metadata }) => metadata.name.includes(`-${name}-`));
        const found = own?.status?.conditions?.find((one) => one.type === type && pattern.test(one.message));
        return found && `${found.reason}: ${found.message}`;
      },
      { seen: conditions },
    );
  const apply = (...runs: readonly KubernetesObject[]) => Promise.all(runs.map((one) => cluster.admin.apply(one)));
  const remove = async (...names: readonly string[]) => {
    for (const name of names) {
      await cluster.admin.delete(`${statefulSets}/${name}`);
      await stateIs(name, "");
    }
  };

  beforeAll(async () => {
    await cluster.admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await cluster.apply(plannedObjects(await planned()));
  });

  test("one run gets both GPUs, and the other waits whole until the first has ended", async () => {
    await apply(run("a"));
    await stateIs("a", "Running,Running");
    await apply(run("b"));
    expectMessage("kueue waits", await conditionOf("b", "QuotaReserved", /insufficient/));
    await stateIs("b", "held");
    await cluster.admin.merge(`${statefulSets}/a`, { spec: { replicas: 0 } });
    await stateIs("b", "Running,Running");
    await remove("a", "b");
  });

  test("a run that is larger than the quota waits, and blocks no other", async () => {
    await apply(run("large", { ranks: 3 }));
    expectMessage("kueue never fits", await conditionOf("large", "QuotaReserved", /insufficient/));
    await apply(run("small"));
    await stateIs("small", "Running,Running");
    expect(await stateOf("large")).toBe("held");
    await remove("large", "small");
  });

  test("without Kueue's label, runs start as before: both hold a GPU, and wait forever", async () => {
    await apply(run("c", { queue: "" }), run("d", { queue: "" }));
    await stateIs("c", "Pending,Running");
    await stateIs("d", "Pending,Running");
    await remove("c", "d");
  });

  test("a run whose nodes do not come gives the quota back", async () => {
    for (const node of ["gpu-1", "gpu-2"]) {
      await cluster.admin.merge(`/api/v1/nodes/${node}`, { spec: { unschedulable: true } });
    }
    await apply(run("e"));
    await stateIs("e", "Pending");
    expect(await conditionOf("e", "Evicted", /timeout/)).toMatch(/^PodsReadyTimeout: Exceeded the PodsReady timeout/);
    await stateIs("e", "held");
    for (const node of ["gpu-1", "gpu-2"]) {
      await cluster.admin.merge(`/api/v1/nodes/${node}`, { spec: { unschedulable: null } });
    }
    await apply(run("f"));
    await stateIs("f", "Running,Running");
    await remove("e", "f");
  });
});

describeControllers("the remedy kueue of the lab gang-deadlock", () => {
  const name = "gang-deadlock";
  const [fault] = togglesOf(labs[name], new Date());
  const [remedy] = remediesOf(labs[name], new Date());
  const cluster = new KwokCluster();
  const plannedLab = planner();
  new Kueue(cluster, () => plannedLab(name, remedy?.config));

  const isOwn = /^(?:Namespace gang-deadlock-|Service |StatefulSet |ResourceFlavor |ClusterQueue |LocalQueue )/;
  const objectsOf = async (config: readonly string[] = []) =>
    plannedObjects(await plannedLab(name, config)).filter(({ line }) => isOwn.test(line));
  const ranks = async () => {
    const pods = await cluster.admin.list<Pod>(`/api/v1/namespaces/${name}/pods`);
    return pods.map(({ metadata, spec, status }) => {
      return `${metadata.name} ${"schedulingGates" in spec ? "held" : status.phase}`;
    });
  };
  const ranksAre = (pattern: RegExp) => {
    const seen = async () => (await ranks()).sort().join();
    return eventually(String(pattern), async () => (pattern.test(await seen()) ? true : undefined), {
      seconds: 150,
      seen,
    });
  };
  const triage = () => triageWith(cluster.kubeconfig, ["-n", name]);

  test("ends the deadlock: one run has both GPUs, and triage says that the other waits for quota", async () => {
    const fakes = await plan(() => {
      new FakeGpus("fake", { gpuNodes: 2 }, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
    });
    await cluster.apply(plannedObjects(fakes));
    const faulty = await objectsOf(fault?.config);
    await cluster.apply(faulty);
    await ranksAre(/^train-a-0 Running,train-a-1 Pending,train-b-0 Running,train-b-1 Pending$/);
    const isDeadlock = async () => ((await triage()).conclusions[0] === "gang-deadlock" ? true : undefined);
    await eventually("gang-deadlock", isDeadlock, { seconds: 60, seen: triage });

    // Pulumi replaces the runs after it has created the queue.
    const withQueue = await objectsOf(remedy?.config);
    const [sets, others] = [true, false].map((isSet) =>
      withQueue.filter(({ manifest }) => (manifest.kind === "StatefulSet") === isSet),
    );
    await cluster.apply(others ?? []);
    const [first] = sets ?? [];
    await expect(cluster.admin.apply(first?.manifest)).rejects.toThrow(/queue-name.*field is immutable/);
    await cluster.remove(faulty.filter(({ manifest }) => manifest.kind === "StatefulSet"));
    await ranksAre(/^$/);
    await cluster.apply(sets ?? []);
    await ranksAre(
      /^train-(.)-0 Running,train-\1-1 Running,train-.-0 held$|^train-a-0 held,train-(.)-0 Running,train-\2-1 Running$/,
    );
    const { conclusions, evidence } = await triage();
    expect(conclusions).toEqual(["waits-for-quota"]);
    expect(evidence).toContainEqual(expect.stringMatching(/insufficient unused quota for nvidia.com\/gpu/));
  });
});
