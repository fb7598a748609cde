import type { ComponentResource, ComponentResourceOptions, CustomResourceOptions, Resource } from "@pulumi/pulumi";
import * as v from "valibot";
import { namespace } from "../../core/kubernetes-names";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions } from "../../core/options";
import { anything, check, flag, optional, section, type GivenOf } from "../../core/schema";
import { taintConflicts, taintList, type Taint } from "../../nodes/scheduling/taints";

/** The taints of GPU nodes that pods tolerate. */
const toleratedTaints = v.pipe(
  taintList(),
  check((taints: readonly Taint[], at) => taintConflicts(taints, at, [])),
);

/** The arguments of every workload, including one that tolerates all taints. */
export const objectArgs = section({
  /**
   * Namespace of the objects. It must exist: the workload does not create it.
   * @default "gpu-lab" - all objects of a lab are in one place
   */
  namespace: optional(namespace(), "gpu-lab"),
  /**
   * Whether `pulumi up` waits until the pods are ready or have completed.
   * @default false - without a GPU node, or with a fault, pods never become ready, and the update would time out
   */
  wait: optional(flag(), false),
  /**
   * The cluster. When Pulumi destroys the cluster, the workload is deleted with it, without a request to its API
   * server.
   * @default none - Pulumi deletes each object
   */
  cluster: optional(anything<Resource>()),
});

/** The arguments of every workload that runs on GPU nodes. */
export const workloadArgs = section({
  ...objectArgs.entries,
  /**
   * Taints of all GPU node groups, which the pods tolerate.
   * @default [] - nvidia.com/gpu:NoSchedule is always tolerated
   */
  taints: optional(toleratedTaints, []),
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

/**
 * Annotations that keep Pulumi from waiting until an object is ready: it waits only until the object has a UID.
 * `pulumi.com/skipAwait` would also skip the wait for the end of a deleted pod, and then Pulumi could not create its
 * successor, which has the same name.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/metadata/overrides.go
 */
export function awaited(wait: boolean): { annotations?: Record<string, string> } {
  return wait ? {} : { annotations: { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" } };
}

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
  return { ...childOptions(component, opts), ...(cluster && { deletedWith: cluster }) };
}

/** For an object with a fixed name and an immutable specification: Pulumi deletes it, then creates its successor. */
export const replacedWhole = { deleteBeforeReplace: true, replaceOnChanges: ["spec"] };
