import { Provider } from "@pulumi/kubernetes/provider";
import { GpuNodePool } from "../../../components/nodes/pool/gpu-node-pool";
import type { GpuNodePoolArgs } from "../../../components/nodes/pool/gpu-node-pool-schema";
import { kubernetesVersion } from "../../../components/core/versions";
import { plan } from "../../support/plan";
import type { KubernetesObject } from "./client";
import { eventually } from "./eventually";
import type { Pod } from "./kubelet";
import { applyWhenKnown } from "./kwok";
import type { KwokCluster } from "./kwok-cluster";
import { manifestsOf } from "./planned";

const defaultNamespace = "default";
const pools = "/apis/karpenter.sh/v1/nodepools";
const claims = "/apis/karpenter.sh/v1/nodeclaims";
const ofPool = (pool: string) => `labelSelector=karpenter.sh%2Fnodepool%3D${pool}`;
const kwokClass = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };

const onKarpenter: GpuNodePoolArgs = {
  ...{ subnetId: "subnet-0123456789abcdef0", securityGroupIds: ["sg-0123456789abcdef0"] },
  ...{ instanceProfileName: "nodes", kubernetesVersion },
};

/** Plans components that create objects in a cluster. Returns the objects. */
export async function planObjects(program: (provider: Provider) => unknown): Promise<KubernetesObject[]> {
  return manifestsOf(await plan(() => program(new Provider("k8s", { kubeconfig: "{}" }))));
}

/** The objects of a GpuNodePool. */
export function poolObjects(name: string, args: GpuNodePoolArgs = {}): Promise<KubernetesObject[]> {
  const given = args.provisioner === "autoMode" ? args : { ...onKarpenter, ...args };
  return planObjects((provider) => new GpuNodePool(name, given, { provider }));
}

/** A change of the part of a NodePool that describes its nodes. */
type NodeSpec = Readonly<Record<string, unknown>>;

/** The NodePool of a GpuNodePool, whose nodes are fake and end within seconds. */
export async function fakePool(
  name: string,
  args: GpuNodePoolArgs = {},
  change: NodeSpec = {},
): Promise<KubernetesObject> {
  const pool = (await poolObjects(name, args)).find(({ kind }) => kind === "NodePool");
  if (!pool) throw new Error(`${name} has no NodePool`);
  return onKwok(pool, change);
}

/** A NodePool whose nodes are fake and end within seconds. */
export function onKwok(pool: KubernetesObject, change: NodeSpec = {}): KubernetesObject {
  const { template, ...spec } = pool["spec"] as { readonly template: { readonly spec: NodeSpec } };
  const quick = { nodeClassRef: kwokClass, terminationGracePeriod: "5s" };
  return { ...pool, spec: { ...spec, template: { ...template, spec: { ...template.spec, ...quick, ...change } } } };
}

/** A Deployment whose one pod asks for a GPU of a pool. */
export function gpuDeployment(name: string, pool: string, spec: object = {}): KubernetesObject {
  const containers = [{ name: "main", image: "pause", resources: { limits: { "nvidia.com/gpu": "1" } } }];
  const nodeSelector = { "karpenter.sh/nodepool": pool };
  const podSpec = { nodeSelector, containers, terminationGracePeriodSeconds: 0, ...spec };
  const template = { metadata: { labels: { app: name } }, spec: podSpec };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: defaultNamespace } },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template },
  };
}

/** A node that Karpenter did not start, for KWOK. */
export const systemNode: KubernetesObject = {
  ...{ apiVersion: "v1", kind: "Node" },
  metadata: { name: "system-1", annotations: { "kwok.x-k8s.io/node": "fake" }, labels: { tier: "system" } },
  status: { allocatable: { cpu: "2", memory: "4Gi", pods: "17" }, capacity: { cpu: "2", memory: "4Gi", pods: "17" } },
} as KubernetesObject;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface NodeClaim extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** What Karpenter makes of NodePools and pods. */
export class KarpenterObjects {
  constructor(
    private readonly cluster: KwokCluster,
    private readonly namespace = defaultNamespace,
    /** The label of pods with the name of their Deployment. */
    private readonly label = "app",
  ) {}

  private get admin() {
    return this.cluster.admin;
  }

  async apply(...objects: readonly KubernetesObject[]): Promise<void> {
    const { group, kind, name } = kwokClass;
    const nodeClass = { apiVersion: `${group}/v1alpha1`, kind, metadata: { name } };
    for (const object of [nodeClass, ...objects]) await applyWhenKnown(this.admin, object);
  }

  /** Deletes a pool and Deployments: Karpenter's messages are about all pools. */
  async remove(pool: string, ...deployments: readonly string[]): Promise<void> {
    for (const name of deployments)
      await this.admin.delete(`/apis/apps/v1/namespaces/${this.namespace}/deployments/${name}`);
    await this.admin.delete(`${pools}/${pool}`);
    await eventually(`the end of ${pool}`, async () =>
      (await this.admin.find(`${pools}/${pool}`)) ? undefined : true,
    );
  }

  /** The names of a pool's NodeClaims. */
  async all(pool: string): Promise<string[]> {
    return (await this.admin.list(`${claims}?${ofPool(pool)}`)).map(({ metadata }) => metadata.name);
  }

  /** The names of a pool's NodeClaims, when there are so many. */
  claims(pool: string, count: number): Promise<string[]> {
    const seen = () => this.all(pool);
    const probe = async () => {
      const names = await seen();
      return names.length === count ? names : undefined;
    };
    return eventually(`${count} NodeClaims of ${pool}`, probe, { seen });
  }

  async deleteClaim(name: string): Promise<void> {
    await this.admin.delete(`${claims}/${name}`);
  }

  /** Ends the nodes of a pool. KWOK leaves the node of a NodeClaim that ends before the node has joined. */
  async endNodes(pool: string): Promise<void> {
    const found = await this.admin.list<NodeClaim>(`${claims}?${ofPool(pool)}`);
    for (const { metadata, status } of found) {
      const hasJoined = status?.conditions?.some((one) => one.type === "Registered" && one.status === "True");
      if (hasJoined && metadata.deletionTimestamp === undefined) await this.deleteClaim(metadata.name);
    }
    if (found.length > 0) return;
    for (const { metadata } of await this.admin.list(`/api/v1/nodes?${ofPool(pool)}`))
      await this.admin.delete(`/api/v1/nodes/${metadata.name}`);
  }

  async setLimit(pool: string, gpus: string): Promise<void> {
    await this.admin.merge(`${pools}/${pool}`, { spec: { limits: { "nvidia.com/gpu": gpus } } });
  }

  /** What a NodeClaim of a pool waits for after it has joined, as `Reason: message`. */
  startupOf(pool: string): Promise<string> {
    return eventually(`a NodeClaim of ${pool} that waits`, async () => {
      const found = await this.admin.list<NodeClaim>(`${claims}?${ofPool(pool)}`);
      const conditions = found.flatMap(({ status }) => status?.conditions ?? []);
      const waits = conditions.find(({ reason }) => reason === "StartupTaintsExist");
      return waits && `${waits.reason}: ${waits.message}`;
    });
  }

  /** The pod of a Deployment, in a phase. */
  podOf(name: string, phase: string): Promise<Pod> {
    const seen = () => this.pods(name);
    const probe = async () => {
      const present = (await seen()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      return present.find(({ status }) => status.phase === phase);
    };
    return eventually(`a pod of ${name}, ${phase}`, probe, { seen });
  }

  private pods(name: string): Promise<Pod[]> {
    return this.admin.list<Pod>(
      `/api/v1/namespaces/${this.namespace}/pods?labelSelector=${encodeURIComponent(`${this.label}=${name}`)}`,
    );
  }

  /** Replaces the pod of a Deployment: Karpenter repeats an event for a pod only after minutes. */
  async restart(name: string): Promise<void> {
    const [old] = await this.pods(name);
    await this.admin.delete(`/api/v1/namespaces/${this.namespace}/pods/${old?.metadata.name}`, {
      gracePeriodSeconds: 0,
    });
    await eventually(`another pod of ${name}`, async () => {
      const [now, ...others] = await this.pods(name);
      return now && others.length === 0 && now.metadata.uid !== old?.metadata.uid ? true : undefined;
    });
  }

  /**
   * Why Karpenter does not start a node for a pod of a Deployment, as `Reason: message`. A rollout may replace the pod meanwhile.
   *
   * @param emptied a pool whose nodes end, until Karpenter has another reason than its limit
   */
  async refusalOf(name: string, emptied?: string): Promise<string> {
    const seen = async () => {
      const { metadata } = await this.podOf(name, "Pending");
      const path = `/api/v1/namespaces/${this.namespace}/events?fieldSelector=involvedObject.uid%3D${metadata.uid}`;
      const events = await this.admin.list(path);
      return events.map(({ reason, message }) => `${String(reason)}: ${String(message)}`);
    };
    // Karpenter counts a node for some time after its end.
    const isRefusal = (text: string) =>
      text.startsWith("FailedScheduling: Failed to schedule pod, ") &&
      !(emptied !== undefined && text.includes("exceed limits"));
    const probe = async () => {
      if (emptied !== undefined) await this.endNodes(emptied);
      return (await seen()).find(isRefusal);
    };
    return eventually(`Karpenter's reason for ${name}`, probe, { seen });
  }
}
