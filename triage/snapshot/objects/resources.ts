import { readClaim, readClusterPolicy, readEvent, readNode, readNodeClaim } from "./cluster";
import type { ObjectReader } from "./object-reader";
import { readPod } from "./pod";
import { readDaemonSet, readDeployment, readJob, readReplicaSet } from "./workloads";

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
