import { readClusterPolicy, type ClusterPolicy } from "./cluster-policy";
import type { Cursor } from "./cursor";
import { readEvent, type Event } from "./event";
import { readNode, type Node } from "./node";
import { readPod, type Pod } from "./pod";
import {
  readClaim,
  readDaemonSet,
  readDeployment,
  readJob,
  readReplicaSet,
  type Claim,
  type DaemonSet,
  type Deployment,
  type Job,
  type ReplicaSet,
} from "./workloads";

/** Everything triage reads of a cluster, by the plural name of the resource. */
export interface Objects {
  readonly pods: readonly Pod[];
  readonly events: readonly Event[];
  readonly nodes: readonly Node[];
  readonly daemonsets: readonly DaemonSet[];
  readonly deployments: readonly Deployment[];
  readonly replicasets: readonly ReplicaSet[];
  readonly jobs: readonly Job[];
  readonly clusterpolicies: readonly ClusterPolicy[];
  readonly persistentvolumeclaims: readonly Claim[];
}

export type Resource = keyof Objects;
export type KubernetesObject = Objects[Resource][number];

interface KindOfResource {
  readonly kind: KubernetesObject["kind"];
  /** Path of the API group and version. */
  readonly api: string;
  readonly read: (object: Cursor) => KubernetesObject;
}

const apps = "/apis/apps/v1";

/** How each resource is called, found and read. */
export const resources: Readonly<Record<Resource, KindOfResource>> = {
  pods: { kind: "Pod", api: "/api/v1", read: readPod },
  events: { kind: "Event", api: "/api/v1", read: readEvent },
  nodes: { kind: "Node", api: "/api/v1", read: readNode },
  daemonsets: { kind: "DaemonSet", api: apps, read: readDaemonSet },
  deployments: { kind: "Deployment", api: apps, read: readDeployment },
  replicasets: { kind: "ReplicaSet", api: apps, read: readReplicaSet },
  jobs: { kind: "Job", api: "/apis/batch/v1", read: readJob },
  clusterpolicies: { kind: "ClusterPolicy", api: "/apis/nvidia.com/v1", read: readClusterPolicy },
  persistentvolumeclaims: { kind: "PersistentVolumeClaim", api: "/api/v1", read: readClaim },
};

export const resourceNames = Object.keys(resources) as readonly Resource[];

/** The resource of a kind; undefined for kinds that triage does not read. */
export function resourceOfKind(kind: string): Resource | undefined {
  return resourceNames.find((name) => resources[name].kind === kind);
}

/** Objects of all kinds, one kind after the other. */
export function allObjects(objects: Objects): KubernetesObject[] {
  return resourceNames.flatMap((name): readonly KubernetesObject[] => objects[name]);
}
