import type {
  ComponentResource,
  ComponentResourceOptions,
  CustomResourceOptions,
  Input,
  Resource,
} from "@pulumi/pulumi";
import { join, trueOrFalse } from "../../core/checks";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { isOutput, requirePlainValue } from "../../core/outputs";
import { childOptions } from "../../core/options";
import type { Problem } from "../../core/problems";
import { taintProblems, type Taint } from "../../nodes/scheduling/taints";
import { namespaceProblems } from "./names";

/** What every workload of a lab takes. */
export interface WorkloadArgs {
  /**
   * Namespace of the objects. It must be there: the workload makes none.
   * @default "gpu-lab" - what a lab makes is found, and deleted, in one place
   */
  readonly namespace?: Input<string>;
  /**
   * Taints of all GPU node groups, which the pods tolerate.
   * @default [] - nvidia.com/gpu:NoSchedule is always tolerated
   */
  readonly taints?: readonly Taint[];
  /**
   * Whether `pulumi up` waits until the pods are ready or done.
   * @default false - without a GPU node, or with a fault on, they never are, and the update would hang and then fail
   */
  readonly wait?: boolean;
  /**
   * The cluster: on destroy the workload goes with it, without asking an API server that may be gone.
   * @default none - deleted by itself
   */
  readonly cluster?: Resource;
}

export const workloadDefaults = { namespace: "gpu-lab", taints: [], wait: false } as const;

/** The keys of {@link WorkloadArgs}, to which each workload adds its own. */
export const workloadKeys = {
  namespace: true,
  taints: true,
  wait: true,
  cluster: true,
} as const satisfies Record<keyof WorkloadArgs, true>;

/** Everything that is wrong with what every workload takes, after defaults. */
export function workloadProblems(given: Readonly<Record<string, unknown>>, at: string): Problem[] {
  const taints = join(at, "taints");
  return [
    ...namespaceProblems(join(at, "namespace"), given["namespace"]),
    ...(isOutput(given["taints"]) ? requirePlainValue(taints) : taintProblems(given["taints"], taints, [])),
    ...trueOrFalse(join(at, "wait"), given["wait"]),
  ];
}

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

/** The labels by which a controller finds its pods; they can never change. */
export function selectorLabels(workload: string, instance: string): Record<string, string> {
  return { "app.kubernetes.io/name": workload, "app.kubernetes.io/instance": instance };
}

/**
 * Annotations that keep Pulumi from waiting until an object is ready: it is content as soon as the object has an
 * identity. `pulumi.com/skipAwait` would also not wait until a deleted pod is gone, and then its successor, which has
 * the same name, cannot be made.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/metadata/overrides.go
 */
export function awaited(wait: boolean): { annotations?: Record<string, string> } {
  return wait ? {} : { annotations: { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" } };
}

/**
 * Options of what a workload makes; without a provider it is refused.
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

/**
 * For an object whose name is fixed and whose specification nobody may change: a new one takes its place, after the
 * old one is gone.
 */
export const replacedWhole = { deleteBeforeReplace: true, replaceOnChanges: ["spec"] };
