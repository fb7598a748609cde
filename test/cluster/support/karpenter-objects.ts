import type { KubernetesObject } from "./client";
import { eventually } from "./eventually";
import type { Pod } from "./kubelet";
import { applyWhenKnown } from "./kwok";
import type { KwokCluster } from "./kwok-cluster";

const pools = "/apis/karpenter.sh/v1/nodepools";
const claims = "/apis/karpenter.sh/v1/nodeclaims";
const namespace = "default";

/** What a NodePool of these tests differs in. */
interface PoolOptions {
  readonly limit: number;
  readonly expireAfter?: string;
}

/** A NodePool of g5.xlarge, with its label `pool`. */
export function gpuPool(name: string, { limit, expireAfter = "24h" }: PoolOptions): KubernetesObject {
  const requirement = (key: string, ...values: readonly string[]) => ({ key, operator: "In", values });
  return {
    ...{ apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name } },
    spec: {
      limits: { "nvidia.com/gpu": String(limit) },
      disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "10m" },
      template: {
        metadata: { labels: { pool: name } },
        spec: {
          nodeClassRef: kwokClass,
          requirements: [
            requirement("node.kubernetes.io/instance-type", "g5.xlarge"),
            requirement("karpenter.sh/capacity-type", "on-demand"),
            requirement("topology.kubernetes.io/zone", "ap-northeast-2a"),
          ],
          taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
          ...{ expireAfter, terminationGracePeriod: "5s" },
        },
      },
    },
  };
}

const kwokClass = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };

/** A Deployment whose one pod asks for a GPU of a pool. */
export function gpuDeployment(name: string, pool: string, spec: object = {}): KubernetesObject {
  const limits = { "nvidia.com/gpu": "1" };
  const containers = [{ name: "main", image: "pause", resources: { limits } }];
  const template = {
    metadata: { labels: { app: name } },
    spec: { nodeSelector: { pool }, containers, terminationGracePeriodSeconds: 0, ...spec },
  };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace } },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template },
  };
}

/** What Karpenter makes of objects. */
export class KarpenterObjects {
  constructor(private readonly cluster: KwokCluster) {}

  private get admin() {
    return this.cluster.admin;
  }

  async apply(...objects: readonly KubernetesObject[]): Promise<void> {
    const { apiVersion, kind, name } = { apiVersion: `${kwokClass.group}/v1alpha1`, ...kwokClass };
    for (const object of [{ apiVersion, kind, metadata: { name } }, ...objects]) {
      await applyWhenKnown(this.admin, object);
    }
  }

  /** The NodeClaims of a pool. */
  all(pool: string): Promise<KubernetesObject[]> {
    return this.admin.list(`${claims}?labelSelector=karpenter.sh%2Fnodepool%3D${pool}`);
  }

  /** The names of a pool's NodeClaims, when there are so many. */
  claims(pool: string, count: number): Promise<string[]> {
    const found = async () => (await this.all(pool)).map(({ metadata }) => metadata.name);
    const probe = async () => {
      const names = await found();
      return names.length === count ? names : undefined;
    };
    return eventually(`${count} NodeClaims of ${pool}`, probe, { seen: found });
  }

  async deleteClaim(name: string): Promise<void> {
    await this.admin.delete(`${claims}/${name}`);
  }

  async setLimit(pool: string, gpus: string): Promise<void> {
    await this.admin.merge(`${pools}/${pool}`, { spec: { limits: { "nvidia.com/gpu": gpus } } });
  }

  /** The pod of a Deployment, in a phase. */
  podOf(name: string, phase: string): Promise<Pod> {
    return eventually(`a pod of ${name}, ${phase}`, async () =>
      (await this.pods(name)).find(({ status, metadata }) => status.phase === phase && !metadata.deletionTimestamp),
    );
  }

  private pods(name: string): Promise<Pod[]> {
    return this.admin.list<Pod>(`/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`);
  }

  /** Replaces the pod of a Deployment: Karpenter repeats an event for a pod only after minutes. */
  async restart(name: string): Promise<void> {
    const [old] = await this.pods(name);
    await this.admin.delete(`/api/v1/namespaces/${namespace}/pods/${old?.metadata.name}`, { gracePeriodSeconds: 0 });
    await eventually(`another pod of ${name}`, async () => {
      const now = await this.pods(name);
      return now.length === 1 && now[0]?.metadata.uid !== old?.metadata.uid ? true : undefined;
    });
  }

  /** Why Karpenter starts no node for the pod of a Deployment, as `Reason: message`. */
  async refusalOf(name: string): Promise<string> {
    const { metadata } = await this.podOf(name, "Pending");
    const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.uid%3D${metadata.uid}`;
    return eventually(
      `Karpenter's reason for ${name}`,
      async () => {
        const said = (await this.admin.list(path)).map(
          (event) => `${String(event["reason"])}: ${String(event["message"])}`,
        );
        return said.find((text) => text.startsWith("FailedScheduling: Failed to schedule pod, "));
      },
      { seen: async () => this.admin.list(path) },
    );
  }
}
