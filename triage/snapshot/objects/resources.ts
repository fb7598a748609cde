import { withoutUndefined } from "../../../components/core/reader/records";
import { lastLines, recognizedLines } from "../logs/known-errors";
import { testReport } from "../logs/test-report";
import type { ObjectReader } from "./object-reader";
import {
  amount,
  each,
  flag,
  kindOf,
  listOf,
  map,
  name,
  nameOrEmpty,
  number,
  numberOrZero,
  objectOf,
  optional,
  readConditions,
  readEnvironment,
  readMeta,
  readPodSpec,
  text,
  textOrEmpty,
  withDefault,
} from "./shape";

export type Meta = ReturnType<typeof readMeta>;
export type Condition = ReturnType<typeof readConditions>[number];

export type PodSpec = ReturnType<typeof readPodSpec>;

const readState = objectOf({
  running: optional(objectOf({ startedAt: text })),
  waiting: optional(objectOf(each(text, "reason", "message"))),
  terminated: optional(readEnd),
});

const readContainerStatus = objectOf({
  name: nameOrEmpty,
  ready: withDefault(flag, false),
  restartCount: numberOrZero,
  ...each(readState, "state", "lastState"),
});
export type ContainerStatus = ReturnType<typeof readContainerStatus>;

const readPod = kindOf("Pod", {
  spec: readPodSpec,
  status: objectOf({
    phase: textOrEmpty,
    ...each(text, "reason", "message"),
    conditions: readConditions,
    ...each(listOf(readContainerStatus), "initContainerStatuses", "containerStatuses"),
  }),
});
export type Pod = ReturnType<typeof readPod>;

const readEndFields = objectOf({ ...each(text, "reason", "startedAt", "finishedAt"), exitCode: number });

function readEnd(end: ObjectReader) {
  const fields = readEndFields(end);
  return withoutUndefined({ ...fields, message: readEndMessage(end.at("message"), fields.exitCode !== 0) });
}

/** A termination message may hold the end of a log. Only the report of a known test and one line are kept. */
function readEndMessage(message: ObjectReader, hasFailed: boolean): string | undefined {
  const text = message.string() ?? "";
  const report = testReport(text);
  return report ? JSON.stringify(report) : (hasFailed ? lastLines(text) : recognizedLines(text)).at(-1);
}

const readTaint = objectOf({ key: textOrEmpty, effect: textOrEmpty, value: text, timeAdded: text });
export type Taint = ReturnType<typeof readTaint>;

const readNode = kindOf("Node", {
  spec: objectOf({ providerID: text, unschedulable: flag, taints: listOf(readTaint) }),
  status: objectOf({
    ...each(map, "capacity", "allocatable"),
    conditions: readConditions,
    nodeInfo: objectOf({ osImage: text }),
  }),
});
export type Node = ReturnType<typeof readNode>;

const readEventFields = objectOf({
  metadata: readMeta,
  involvedObject: objectOf({ kind: textOrEmpty, uid: text, namespace: name, name: nameOrEmpty }),
  ...each(textOrEmpty, "reason", "message"),
  ...each(text, "type", "firstTimestamp"),
});

function readEvent(event: ObjectReader) {
  const series = event.at("series");
  return withoutUndefined({
    kind: "Event" as const,
    ...readEventFields(event),
    count: series.at("count").number() ?? event.at("count").number(),
    // Events of the newer API have a time and a series in place of two timestamps.
    lastTimestamp:
      series.at("lastObservedTime").string() ?? event.at("lastTimestamp").string() ?? event.at("eventTime").string(),
  });
}
export type Event = ReturnType<typeof readEvent>;

const readClaim = kindOf("PersistentVolumeClaim", {
  spec: objectOf({ storageClassName: text }),
  status: objectOf({ phase: textOrEmpty }),
});

/** Karpenter's request for a node. @see https://github.com/kubernetes-sigs/karpenter/blob/v1.12.0/pkg/apis/v1/nodeclaim.go */
const readNodeClaim = kindOf("NodeClaim", {
  spec: objectOf({ resources: objectOf({ requests: map }) }),
  status: objectOf({ conditions: readConditions }),
});
export type NodeClaim = ReturnType<typeof readNodeClaim>;

/** A run in a queue of Kueue. @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/apis/kueue/v1beta2/workload_types.go */
const readWorkload = kindOf("Workload", { status: objectOf({ conditions: readConditions }) });

/** Whether an operand of the GPU Operator is enabled. */
const toggle = optional(objectOf({ enabled: flag }));

/** A ClusterPolicy of the GPU Operator. @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/api/nvidia/v1 */
const readClusterPolicy = kindOf("ClusterPolicy", {
  spec: objectOf({
    devicePlugin: objectOf({ enabled: flag, env: readEnvironment }),
    ...each(toggle, "driver", "toolkit", "dcgm", "dcgmExporter", "gfd", "migManager"),
  }),
  status: objectOf({ state: text, conditions: readConditions }),
});
export type ClusterPolicy = ReturnType<typeof readClusterPolicy>;

const template = objectOf({ spec: readPodSpec });
const oneReplica = withDefault(number, 1);

const readDaemonSet = kindOf("DaemonSet", {
  spec: objectOf({ template }),
  status: objectOf(each(numberOrZero, "desiredNumberScheduled", "currentNumberScheduled", "numberReady")),
});
export type DaemonSet = ReturnType<typeof readDaemonSet>;

const readDeployment = kindOf("Deployment", {
  spec: objectOf({
    replicas: oneReplica,
    strategy: objectOf({
      type: text,
      rollingUpdate: optional(objectOf({ maxSurge: amount, maxUnavailable: amount })),
    }),
  }),
  status: objectOf({
    ...each(numberOrZero, "replicas", "readyReplicas", "updatedReplicas"),
    conditions: readConditions,
  }),
});
export type Deployment = ReturnType<typeof readDeployment>;

const readReplicaSet = kindOf("ReplicaSet", {
  spec: objectOf({ replicas: oneReplica }),
  status: objectOf({ replicas: numberOrZero, conditions: readConditions }),
});
export type ReplicaSet = ReturnType<typeof readReplicaSet>;

const readJob = kindOf("Job", {
  spec: objectOf({ parallelism: number, completions: number, activeDeadlineSeconds: number, template }),
  status: objectOf({ startTime: text, active: number, succeeded: number, conditions: readConditions }),
});
export type Job = ReturnType<typeof readJob>;

const [core, apps] = ["/api/v1", "/apis/apps/v1"];

/** Every resource that triage reads, by its plural name. */
const definitions = {
  pods: { kind: "Pod", api: core, read: readPod },
  events: { kind: "Event", api: core, read: readEvent },
  nodes: { kind: "Node", api: core, read: readNode },
  daemonsets: { kind: "DaemonSet", api: apps, read: readDaemonSet },
  deployments: { kind: "Deployment", api: apps, read: readDeployment },
  replicasets: { kind: "ReplicaSet", api: apps, read: readReplicaSet, isOptional: true },
  jobs: { kind: "Job", api: "/apis/batch/v1", read: readJob, isOptional: true },
  clusterpolicies: { kind: "ClusterPolicy", api: "/apis/nvidia.com/v1", read: readClusterPolicy, isOptional: true },
  nodeclaims: { kind: "NodeClaim", api: "/apis/karpenter.sh/v1", read: readNodeClaim, isOptional: true },
  workloads: { kind: "Workload", api: "/apis/kueue.x-k8s.io/v1beta2", read: readWorkload, isOptional: true },
  persistentvolumeclaims: { kind: "PersistentVolumeClaim", api: core, read: readClaim, isOptional: true },
};

export type Resource = keyof typeof definitions;

/** The objects of a cluster, by resource. */
export type Objects = {
  readonly [Name in Resource]: readonly ReturnType<(typeof definitions)[Name]["read"]>[];
};

export type KubernetesObject = Objects[Resource][number];

interface ResourceDefinition {
  readonly kind: string;
  /** Path of the API group and version. */
  readonly api: string;
  readonly read: (object: ObjectReader) => KubernetesObject;
  /** Whether a healthy cluster may have no object of it. */
  readonly isOptional?: boolean;
}

export const resources: Readonly<Record<Resource, ResourceDefinition>> = definitions;

export const resourceNames = Object.keys(definitions) as readonly Resource[];

/** The resource of a kind; undefined for a kind that triage does not read. */
export function resourceOfKind(kind: string): Resource | undefined {
  return resourceNames.find((name) => resources[name].kind === kind);
}

/** Objects of all kinds, one kind after the other. */
export function allObjects(objects: Objects): KubernetesObject[] {
  return resourceNames.flatMap((name): readonly KubernetesObject[] => objects[name]);
}

/** Groups objects by resource. The last of several objects with the same name wins. */
export function groupByResource(objects: readonly KubernetesObject[]): Objects {
  const unique = new Map(
    objects.map((one) => [`${one.kind}/${one.metadata.namespace ?? ""}/${one.metadata.name}`, one]),
  );
  const all = [...unique.values()];
  const entries = resourceNames.map((name) => [name, all.filter(({ kind }) => kind === resources[name].kind)]);
  return Object.fromEntries(entries) as Objects;
}
