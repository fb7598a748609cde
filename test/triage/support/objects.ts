/** Kubernetes objects as an API server gives them, small, and with what must never get into a dump. */

export const now = "2026-11-21T10:00:00Z";

/** A time so many seconds before {@link now}. */
export function ago(seconds: number): string {
  return new Date(Date.parse(now) - seconds * 1000).toISOString().replace(".000Z", "Z");
}

export const minute = 60;
export const hour = 60 * minute;

type Fields = Record<string, unknown>;

interface NodeFields {
  readonly type?: string;
  readonly gpus?: string | null;
  readonly capacity?: string | null;
  readonly age?: number;
  readonly labels?: Record<string, string>;
  readonly taints?: readonly Fields[];
  readonly conditions?: readonly Fields[];
  readonly unschedulable?: boolean;
  readonly memory?: string;
}

export const gpuTaint = { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" };

/** As the EKS node monitoring agent leaves it: `Ready` is not the last condition. */
export function conditions(changed: Record<string, Fields> = {}): Fields[] {
  const types = ["Ready", "MemoryPressure", "StorageReady", "NetworkingReady", "ContainerRuntimeReady", "KernelReady"];
  const all = types.map((type) => ({
    type,
    status: type === "MemoryPressure" ? "False" : "True",
    reason: `${type}IsFine`,
    lastTransitionTime: ago(5 * hour),
  }));
  const gpu = { type: "AcceleratedHardwareReady", status: "True", reason: "NvidiaGPUIsReady" };
  return [...all, gpu].map((one) => ({ ...one, ...changed[one.type] }));
}

export function node(name: string, fields: NodeFields = {}): Fields {
  const { type = "t3.medium", gpus = null, capacity = gpus, age = 5 * hour, labels = {}, taints = [] } = fields;
  const { memory = "15147936Ki" } = fields;
  const amounts = (amount: string | null) => ({
    cpu: "3920m",
    memory,
    pods: "50",
    ...(amount === null ? {} : { "nvidia.com/gpu": amount }),
  });
  return {
    kind: "Node",
    apiVersion: "v1",
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: ago(age),
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "node.kubernetes.io/instance-type": type,
        ...labels,
      },
      annotations: { "alpha.kubernetes.io/provided-node-ip": "10.0.0.1" },
    },
    spec: {
      providerID: "aws:///ap-northeast-2a/i-0123456789abcdef0",
      taints: [...taints],
      ...(fields.unschedulable && { unschedulable: true }),
    },
    status: {
      capacity: amounts(capacity),
      allocatable: amounts(gpus),
      conditions: fields.conditions ?? conditions(),
      images: [{ names: ["nvcr.io/nvidia/cuda"], sizeBytes: 1 }],
    },
  };
}

const gpuLabels = { "nvidia.com/gpu.present": "true", "nvidia.com/gpu.deploy.device-plugin": "true", tier: "gpu" };

export function gpuNode(name: string, fields: NodeFields = {}): Fields {
  return node(name, {
    type: "g5.xlarge",
    gpus: "1",
    age: 31 * minute,
    taints: [gpuTaint],
    ...fields,
    labels: { ...gpuLabels, ...fields.labels },
  });
}

interface PodFields {
  readonly namespace?: string;
  readonly node?: string;
  readonly phase?: string;
  readonly gpus?: number;
  readonly owner?: readonly [kind: string, name: string];
  readonly labels?: Record<string, string>;
  readonly tolerations?: readonly Fields[];
  readonly age?: number;
  readonly scheduler?: string;
  readonly statuses?: readonly Fields[];
  readonly spec?: Fields;
}

export const gpuToleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };

export const secret = "hunter2-never-in-a-dump";

export function pod(name: string, fields: PodFields = {}): Fields {
  const {
    namespace = "gpu-lab",
    gpus = 0,
    age = 10 * minute,
    phase = fields.node === undefined ? "Pending" : "Running",
  } = fields;
  const scheduled =
    fields.scheduler === undefined
      ? { type: "PodScheduled", status: phase === "Pending" ? "False" : "True" }
      : { type: "PodScheduled", status: "False", reason: "Unschedulable", message: fields.scheduler };
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      creationTimestamp: ago(age),
      labels: fields.labels ?? {},
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": secret },
      managedFields: [{ manager: secret }],
      ...(fields.owner && {
        ownerReferences: [{ kind: fields.owner[0], name: fields.owner[1], controller: true, apiVersion: "apps/v1" }],
      }),
    },
    spec: {
      ...(fields.node !== undefined && { nodeName: fields.node }),
      tolerations: fields.tolerations ?? (gpus > 0 ? [gpuToleration] : []),
      containers: [
        {
          name: "main",
          image: "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04",
          command: ["sh", "-c", secret],
          args: [secret],
          env: [{ name: "TOKEN", value: secret }],
          resources: gpus > 0 ? { limits: { "nvidia.com/gpu": String(gpus) } } : {},
        },
      ],
      volumes: [{ name: "s", secret: { secretName: "s" }, configMap: { name: secret } }],
      ...fields.spec,
    },
    status: {
      phase,
      conditions: [{ ...scheduled, lastTransitionTime: ago(age) }],
      containerStatuses: fields.statuses ?? [
        {
          name: "main",
          ready: phase === "Running",
          restartCount: 0,
          state: phase === "Running" ? { running: {} } : {},
        },
      ],
    },
  };
}

export function event(
  about: readonly [kind: string, name: string],
  reason: string,
  message: string,
  fields: Fields = {},
): Fields {
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: { name: `${about[1]}.${reason.toLowerCase()}`, namespace: "gpu-lab" },
    involvedObject: { kind: about[0], name: about[1], namespace: "gpu-lab" },
    type: "Warning",
    reason,
    message,
    count: 3,
    firstTimestamp: ago(580),
    lastTimestamp: ago(30),
    ...fields,
  };
}

interface SetFields {
  readonly namespace?: string;
  readonly ready?: number;
  readonly desired?: number;
  readonly age?: number;
  readonly spec?: Fields;
}

export function daemonSet(name: string, fields: SetFields = {}): Fields {
  const { namespace = "gpu-operator", desired = 2, ready = desired, age = 229 * minute } = fields;
  return {
    kind: "DaemonSet",
    apiVersion: "apps/v1",
    metadata: { name, namespace, creationTimestamp: ago(age) },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { spec: { tolerations: [gpuToleration], containers: [{ name, env: [] }], ...fields.spec } },
    },
    status: { desiredNumberScheduled: desired, currentNumberScheduled: desired, numberReady: ready },
  };
}

export function deployment(
  name: string,
  fields: Fields & { namespace?: string; ready?: number; spec?: Fields } = {},
): Fields {
  const { namespace = "gpu-lab", ready = 1, spec } = fields;
  return {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: {
      name,
      namespace,
      creationTimestamp: ago(3 * hour),
      annotations: { "deployment.kubernetes.io/revision": "4" },
    },
    spec: { replicas: 1, ...spec },
    status: { replicas: 1, readyReplicas: ready, updatedReplicas: 1 },
  };
}

export function replicaSet(name: string, owner: string): Fields {
  return {
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    metadata: { name, namespace: "gpu-lab", ownerReferences: [{ kind: "Deployment", name: owner }] },
    spec: { replicas: 1 },
    status: { replicas: 1 },
  };
}

export function clusterPolicy(spec: Fields = {}, status: Fields = { state: "ready" }): Fields {
  return {
    kind: "ClusterPolicy",
    apiVersion: "nvidia.com/v1",
    metadata: { name: "cluster-policy", creationTimestamp: ago(4 * hour) },
    spec: { devicePlugin: { enabled: true, version: "v0.19.0" }, toolkit: { enabled: false }, ...spec },
    status,
  };
}
