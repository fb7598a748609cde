import type { Properties } from "../../components/core/wire";

/** An object, a change of one of its fields, and whether the API server accepts the change. */
export interface FieldChange {
  readonly kind: string;
  readonly object: Properties;
  readonly change: Properties;
  readonly accepted: boolean;
}

const labels = { app: "a" };
const container = { name: "main", image: "registry.k8s.io/pause:3.10.1" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const jobTemplate = { spec: { restartPolicy: "Never", containers: [container] } };
const toleration = { key: "a", operator: "Exists" };
const claim = { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } };
const volume = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/a" } };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const storage = { provisioner: "example.com/a", reclaimPolicy: "Delete", volumeBindingMode: "Immediate" };
const deployment = { replicas: 0, selector: { matchLabels: labels }, template };
const statefulSet = { ...deployment, serviceName: "a", podManagementPolicy: "Parallel" };
const pod = {
  automountServiceAccountToken: false,
  containers: [container],
  tolerations: [toleration],
  terminationGracePeriodSeconds: 0,
};
const job = { suspend: true, completions: 1, parallelism: 1, template: jobTemplate };
const service = { clusterIP: "10.100.0.77", ports: [{ port: 80 }] };
const quota = { hard: { pods: "1" }, scopes: ["BestEffort"] };

const refused = (kind: string, object: Properties, change: Properties): FieldChange => ({
  ...{ kind, object, change, accepted: false },
});
const accepted = (kind: string, object: Properties, change: Properties): FieldChange => ({
  ...{ kind, object, change, accepted: true },
});
const spec = (fields: Properties): Properties => ({ spec: fields });

/** Changes of mutable and immutable fields. Kinds are written as in Pulumi's type tokens. */
export const fieldChanges: readonly FieldChange[] = [
  refused("scheduling.k8s.io/v1:PriorityClass", { value: 1000 }, { value: 2000 }),
  refused("scheduling.k8s.io/v1:PriorityClass", { value: 1000 }, { preemptionPolicy: "Never" }),
  accepted("scheduling.k8s.io/v1:PriorityClass", { value: 1000 }, { description: "a" }),
  refused("storage.k8s.io/v1:StorageClass", storage, { parameters: { a: "b" } }),
  refused("storage.k8s.io/v1:StorageClass", storage, { reclaimPolicy: "Retain" }),
  refused("storage.k8s.io/v1:StorageClass", storage, { volumeBindingMode: "WaitForFirstConsumer" }),
  accepted("storage.k8s.io/v1:StorageClass", storage, { allowVolumeExpansion: true }),
  refused("node.k8s.io/v1:RuntimeClass", { handler: "a" }, { handler: "b" }),
  refused("apps/v1:Deployment", spec(deployment), spec({ selector: { matchLabels: { ...labels, tier: "b" } } })),
  accepted("apps/v1:Deployment", spec(deployment), spec({ strategy: { type: "Recreate", rollingUpdate: null } })),
  refused("apps/v1:StatefulSet", spec(statefulSet), spec({ serviceName: "b" })),
  refused("apps/v1:StatefulSet", spec(statefulSet), spec({ podManagementPolicy: "OrderedReady" })),
  accepted("apps/v1:StatefulSet", spec(statefulSet), spec({ minReadySeconds: 5 })),
  refused("batch/v1:Job", spec(job), spec({ template: { spec: { containers: [{ ...container, image: "b:1" }] } } })),
  refused("batch/v1:Job", spec(job), spec({ completionMode: "Indexed" })),
  refused("batch/v1:Job", spec(job), spec({ backoffLimitPerIndex: 1 })),
  accepted("batch/v1:Job", spec(job), spec({ parallelism: 2 })),
  accepted("batch/v1:Job", spec(job), spec({ backoffLimit: 3 })),
  refused("core/v1:Pod", spec(pod), spec({ containers: [{ ...container, command: ["a"] }] })),
  refused("core/v1:Pod", spec(pod), spec({ priorityClassName: "system-node-critical" })),
  refused("core/v1:Pod", spec(pod), spec({ tolerations: [{ ...toleration, key: "b" }] })),
  accepted("core/v1:Pod", spec(pod), spec({ tolerations: [toleration, { ...toleration, key: "b" }] })),
  accepted("core/v1:Pod", spec(pod), spec({ containers: [{ ...container, image: "b:1" }] })),
  refused("core/v1:PersistentVolumeClaim", spec(claim), spec({ accessModes: ["ReadWriteMany"] })),
  refused("core/v1:PersistentVolumeClaim", spec(claim), spec({ storageClassName: "b" })),
  refused("core/v1:PersistentVolume", spec(volume), spec({ hostPath: { path: "/b" } })),
  accepted("core/v1:PersistentVolume", spec(volume), spec({ persistentVolumeReclaimPolicy: "Delete" })),
  refused("core/v1:ResourceQuota", spec(quota), spec({ scopes: ["NotBestEffort"] })),
  accepted("core/v1:ResourceQuota", spec(quota), spec({ hard: { pods: "2" } })),
  refused("core/v1:Service", spec(service), spec({ clusterIP: "10.100.0.78" })),
  accepted("core/v1:Service", spec(service), spec({ ports: [{ port: 81 }] })),
  refused("core/v1:Secret", { type: "Opaque" }, { type: "example.com/a" }),
  refused("core/v1:Secret", { immutable: true, data: { a: "YQ==" } }, { data: { a: "Yg==" } }),
  accepted("core/v1:Secret", { data: { a: "YQ==" } }, { data: { a: "Yg==" } }),
  refused("core/v1:ConfigMap", { immutable: true, data: { a: "a" } }, { data: { a: "b" } }),
  refused("core/v1:ConfigMap", { immutable: true, data: { a: "a" } }, { immutable: false }),
  accepted("core/v1:ConfigMap", { data: { a: "a" } }, { data: { a: "b" }, immutable: true }),
  refused("rbac.authorization.k8s.io/v1:RoleBinding", { roleRef }, { roleRef: { ...roleRef, name: "edit" } }),
  refused("rbac.authorization.k8s.io/v1:ClusterRoleBinding", { roleRef }, { roleRef: { ...roleRef, name: "edit" } }),
];
