import { ConfigMap, type ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type {
  ComponentResource,
  ComponentResourceOptions,
  CustomResourceOptions,
  Input,
  Resource,
} from "@pulumi/pulumi";
import * as v from "valibot";
import { namespace } from "../../core/kubernetes-names";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions, clusterResource } from "../../core/options";
import { s, type GivenOf } from "../../core/schema";
import { transformed, type Transform } from "../../core/transform";
import { taintConflicts, taintList, type Taint } from "../../nodes/scheduling/taints";

/** The taints of GPU nodes that pods tolerate. */
const toleratedTaints = v.pipe(
  taintList(),
  s.check((taints: readonly Taint[], at) => taintConflicts(taints, at, [])),
);

/** The arguments of every workload, including one that tolerates all taints. */
export const objectArgs = s.section({
  /**
   * Namespace of the objects. It must exist: the workload does not create it.
   * @default "gpu-lab" - all objects of a lab are in one place
   */
  namespace: s.optional(namespace(), "gpu-lab"),
  /**
   * Whether `pulumi up` waits until the pods are ready or have completed. The wait ends after ten minutes, or after the
   * deadline of the workload where it has one. Until then Pulumi prints the scheduler's warnings, such as
   * `0/4 nodes are available`. Another limit is the annotation `pulumi.com/timeoutSeconds`, set with `transform`.
   *
   * @default false - without a GPU node, or with a fault, pods never become ready, and the update would time out
   */
  wait: s.optional(s.flag(), false),
  /**
   * The cluster. When Pulumi destroys the cluster, the workload is deleted with it, without a request to its API
   * server.
   * @default none - Pulumi deletes each object
   */
  cluster: s.optional(clusterResource()),
});

/** The arguments of every workload that runs on GPU nodes. */
export const workloadArgs = s.section({
  ...objectArgs.entries,
  /**
   * Taints of all GPU node groups, which the pods tolerate.
   * @default [] - nvidia.com/gpu:NoSchedule is always tolerated
   */
  taints: s.optional(toleratedTaints, []),
});

/** The arguments of every workload that runs on GPU nodes. */
export interface WorkloadArgs extends Readonly<GivenOf<typeof workloadArgs>> {}

/**
 * Labels of an object and its pods.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
 */
export function workloadLabels(workload: string, instance: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": workload,
    "app.kubernetes.io/instance": instance,
    "app.kubernetes.io/part-of": "eks-gpu-lab",
    "app.kubernetes.io/managed-by": "pulumi",
  };
}

/** The labels by which a controller finds its pods. They are immutable. */
export function selectorLabels(workload: string, instance: string): Record<string, string> {
  return { "app.kubernetes.io/name": workload, "app.kubernetes.io/instance": instance };
}

/** Seconds for which `pulumi up` waits for an object that has no deadline of its own. */
const waitSeconds = 600;

/** How `pulumi up` waits for an object. */
interface Waiting {
  /** Deadline of the object itself, in seconds: the wait lasts a minute longer, so that Kubernetes' reason is reported. */
  readonly deadlineSeconds?: number;
  /** Condition of a pod: the provider's own wait for pods never times out, because it starts again every minute. */
  readonly until?: string;
}

/**
 * Annotations that limit how long Pulumi waits until an object is ready, or keep it from waiting: then it waits only
 * until the object has a UID. `pulumi.com/skipAwait` would also skip the wait for the end of a deleted pod, and then
 * Pulumi could not create its successor, which has the same name. While it waits, Pulumi prints the warnings of the
 * scheduler.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/metadata/overrides.go
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/pod.go for the wait for pods
 */
export function awaited(
  wait: boolean,
  { deadlineSeconds, until }: Waiting = {},
): { annotations: Record<string, string> } {
  if (!wait) return { annotations: { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" } };
  const seconds = deadlineSeconds === undefined ? waitSeconds : deadlineSeconds + 60;
  return {
    annotations: {
      "pulumi.com/timeoutSeconds": String(seconds),
      ...(until !== undefined && { "pulumi.com/waitFor": until }),
    },
  };
}

/** One port of a workload inside the cluster, by the name of the container's port. */
export function serviceOf(
  workload: string,
  name: string,
  portName: string,
  { namespace, port, wait }: { namespace: Input<string>; port: number; wait: boolean },
  deadlineSeconds: number,
): ServiceArgs {
  return {
    // Without the annotation Pulumi waits until the Service has a pod that is ready.
    metadata: { name, namespace, labels: workloadLabels(workload, name), ...awaited(wait, { deadlineSeconds }) },
    spec: {
      type: "ClusterIP",
      selector: selectorLabels(workload, name),
      ports: [{ name: portName, port, targetPort: portName }],
    },
  };
}

/** For a pod that must complete. */
export const untilSucceeded: Waiting = { until: "jsonpath={.status.phase}=Succeeded" };

/** For a pod that must run. */
export const untilReady: Waiting = { until: "condition=Ready" };

/**
 * Options of a workload's objects.
 *
 * @throws InputError when no Kubernetes provider reaches the component
 */
export function workloadOptions(
  subject: string,
  component: ComponentResource,
  opts: ComponentResourceOptions | undefined,
  cluster: Resource | undefined,
): CustomResourceOptions {
  refuseWithoutProvider(subject, component, undefined, "its objects");
  return childOptions(component, opts, cluster);
}

/** Creates the scripts of a workload. Pulumi replaces a ConfigMap whose data changes, and its name is fixed. */
export function makeScript(
  name: string,
  scripts: ConfigMapArgs,
  transform: Transform<ConfigMapArgs> | undefined,
  options: CustomResourceOptions,
): ConfigMap {
  return new ConfigMap(...transformed(transform, `${name}-script`, scripts, { ...options, deleteBeforeReplace: true }));
}

/** For an object with a fixed name and an immutable specification: Pulumi deletes it, then creates its successor. */
export const replacedWhole = { deleteBeforeReplace: true, replaceOnChanges: ["spec"] };
