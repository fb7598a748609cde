import { Refused, type Client, type KubernetesObject } from "./client";
import { eventually } from "./eventually";

export interface Pod extends KubernetesObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { readonly name: string; readonly image: string }[];
    readonly volumes?: readonly { readonly name: string; readonly hostPath?: { path: string; type?: string } }[];
  };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

/** Why a container waits. */
interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

interface Status {
  readonly capacity: Readonly<Record<string, string>>;
}

const nodesPath = "/api/v1/nodes";

/** Plays the kubelets of all nodes: keeps nodes Ready, runs pods without containers, and ends pods on demand. */
export class Kubelet {
  /** Images that cannot be pulled. */
  readonly missingImages = new Set<string>();
  /** Paths of the sockets on every node. */
  readonly sockets = new Set(["/run/containerd/containerd.sock"]);
  private readonly nodes = new Set<string>();
  /** Uids of pods that wait for an image or a mount. */
  private readonly blocked = new Set<string>();
  private isRunning = false;
  private loop: Promise<void> = Promise.resolve();
  private renewed = 0;

  constructor(private readonly client: Client) {}

  start(): void {
    this.isRunning = true;
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await this.loop;
  }

  /** Creates nodes, and waits until pods can be scheduled on them. */
  async addNodes(nodes: readonly KubernetesObject[]): Promise<void> {
    for (const node of nodes) await this.addNode(node);
    for (const { metadata } of nodes) {
      const path = `${nodesPath}/${metadata.name}`;
      await eventually(`the node ${metadata.name} without lifecycle taints`, async () => {
        const { spec } = await this.client.get<{ spec: { taints?: readonly { key: string }[] } }>(path);
        return spec.taints?.some(({ key }) => key.startsWith("node.kubernetes.io/")) ? undefined : true;
      });
    }
  }

  private async addNode(node: KubernetesObject): Promise<void> {
    const { name } = node.metadata;
    const { status, ...rest } = node;
    await this.client.create(rest);
    this.nodes.add(name);
    await this.renew(name);
    await this.setStatus(name, (status as Status).capacity);
  }

  /** What a device plugin registers, and what is left of it when it is gone. */
  async setGpus(name: string, count: number): Promise<void> {
    const gpus = { "nvidia.com/gpu": String(count) };
    await this.client.merge(`${nodesPath}/${name}/status`, { status: { capacity: gpus, allocatable: gpus } });
  }

  /** A condition that an agent on the node reports. */
  async addCondition(name: string, condition: Readonly<Record<string, string>>): Promise<void> {
    const path = `${nodesPath}/${name}`;
    const { status } = await this.client.get<{ status: { conditions: readonly unknown[] } }>(path);
    const added = { ...condition, lastHeartbeatTime: now(), lastTransitionTime: now() };
    await this.client.merge(`${path}/status`, { status: { conditions: [...status.conditions, added] } });
  }

  async removeNodes(): Promise<void> {
    for (const name of this.nodes) await this.client.delete(`${nodesPath}/${name}`);
    this.nodes.clear();
  }

  /** Ends all containers of a running pod. */
  async finish(pod: KubernetesObject, phase: "Succeeded" | "Failed"): Promise<void> {
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
    const ready = { type: "Ready", status: "False", reason: "PodCompleted" };
    const exitCode = phase === "Succeeded" ? 0 : 1;
    const { spec } = await this.client.get<Pod>(path);
    const containerStatuses = spec.containers.map(({ name, image }) => ({
      ...{ name, image, imageID: image, ready: false, restartCount: 0 },
      state: { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", finishedAt: now() } },
    }));
    await this.client.merge(`${path}/status`, { status: { phase, conditions: [ready], containerStatuses } });
  }

  private async setStatus(name: string, capacity: Status["capacity"]): Promise<void> {
    const condition = (type: string, status: string) => ({
      ...{ type, status, reason: "Kubelet", message: "set by a test" },
      ...{ lastHeartbeatTime: now(), lastTransitionTime: now() },
    });
    const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => condition(type, "False"));
    const conditions = [...pressures, condition("Ready", "True")];
    await this.client.merge(`${nodesPath}/${name}/status`, { status: { capacity, allocatable: capacity, conditions } });
  }

  private async renew(name: string): Promise<void> {
    await this.client.apply({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: "kube-node-lease" },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: now().replace("Z", "000Z") },
    });
  }

  private async run(): Promise<void> {
    while (this.isRunning) {
      try {
        if (Date.now() - this.renewed > 10_000) {
          for (const name of this.nodes) await this.renew(name);
          this.renewed = Date.now();
        }
        const pods = await this.client.list<Pod>("/api/v1/pods");
        for (const pod of pods) if (this.nodes.has(pod.spec.nodeName ?? "")) await this.sync(pod);
      } catch (error) {
        // A pod can go while it is looked at.
        if (!(error instanceof Refused) || ![404, 409].includes(error.status)) throw error;
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  private async sync(pod: Pod): Promise<void> {
    const { metadata, spec, status } = pod;
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp !== undefined) {
      return this.client.delete(path, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } });
    }
    if (status.phase !== "Pending") return;
    const isNew = !status.conditions?.some(({ type }) => type === "Ready");
    const mount = this.failedMount(pod);
    const waiting = mount === undefined ? this.imageFailure(pod) : { reason: "ContainerCreating" };
    if (!isNew && (waiting || !this.blocked.delete(metadata.uid ?? ""))) return;
    if (mount !== undefined) await this.warn(pod, "FailedMount", mount);
    if (waiting) this.blocked.add(metadata.uid ?? "");
    const ready = waiting ? "False" : "True";
    const types = ["Initialized", "ContainersReady", "Ready"];
    // Controllers count minReadySeconds from the transition.
    const conditions = types.map((type) => ({
      ...{ type, status: type === "Initialized" ? "True" : ready },
      lastTransitionTime: now(),
    }));
    const containerStatuses = spec.containers.map(({ name, image }) => ({
      ...{ name, image, imageID: waiting ? "" : image, ready: !waiting, started: !waiting, restartCount: 0 },
      state: waiting ? { waiting } : { running: { startedAt: now() } },
    }));
    const scheduled = (status.conditions ?? []).filter(({ type }) => type === "PodScheduled");
    const phase = waiting ? "Pending" : "Running";
    await this.client.merge(`${path}/status`, {
      status: { phase, conditions: [...scheduled, ...conditions], containerStatuses, startTime: now() },
    });
  }

  private imageFailure({ spec }: Pod): Waiting | undefined {
    const isMissing = spec.containers.some(({ image }) => this.missingImages.has(image));
    return isMissing ? { reason: "ImagePullBackOff", message: "not found" } : undefined;
  }

  /** @see https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/volume/hostpath/host_path.go checkTypeInternal */
  private failedMount({ spec }: Pod): string | undefined {
    const sockets = spec.volumes?.filter(({ hostPath }) => hostPath?.type === "Socket") ?? [];
    const failed = sockets.find(({ hostPath }) => !this.sockets.has(hostPath?.path ?? ""));
    if (!failed) return undefined;
    const reason = `hostPath type check failed: ${failed.hostPath?.path} is not a socket file`;
    return `MountVolume.SetUp failed for volume "${failed.name}" : ${reason}`;
  }

  private async warn({ apiVersion, kind, metadata, spec }: Pod, reason: string, message: string): Promise<void> {
    const { name, namespace = "default", uid } = metadata;
    await this.client.create({
      ...{ apiVersion: "v1", kind: "Event", metadata: { name: `${name}.${Date.now().toString(16)}`, namespace } },
      involvedObject: { apiVersion: apiVersion ?? "v1", kind: kind ?? "Pod", name, namespace, uid },
      ...{ type: "Warning", reason, message, source: { component: "kubelet", host: spec.nodeName } },
      ...{ count: 1, firstTimestamp: now(), lastTimestamp: now() },
    });
  }
}

function now(): string {
  return new Date().toISOString();
}
