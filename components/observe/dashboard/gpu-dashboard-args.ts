import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { Input, Resource } from "@pulumi/pulumi";
import { isPlainObject, join, keysOf, noObject, onlyKeys } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import type { Problem } from "../../core/problems";
import { transformProblems, type Transform } from "../../core/transform";
import { dnsLabelProblems, namespaceProblems } from "../../workloads/shared/names";
import { objectLabelsProblems, type ObjectLabels } from "../object-labels";

export interface GpuDashboardArgs {
  /**
   * Namespace of the ConfigMap, which must be there.
   * @default "monitoring" - the one that Monitoring makes; its Grafana looks in all of them
   */
  readonly namespace?: Input<string>;
  /**
   * Namespace of the GPU Operator, whose DaemonSets are shown.
   * @default "gpu-operator" - the default of GpuOperator
   */
  readonly operatorNamespace?: string;
  /**
   * Labels of the ConfigMap beside the component's own and `grafana_dashboard: "1"`, by which Grafana's sidecar finds
   * it.
   * @default {} - those suffice
   */
  readonly labels?: ObjectLabels;
  /**
   * The cluster: on destroy the dashboard goes with it, without asking an API server that may be gone.
   * @default none - deleted by itself
   */
  readonly cluster?: Resource;
  /** Adjusts the underlying resource. @default none - it is made as described */
  readonly transform?: GpuDashboardTransform;
}

/** Adjusts the underlying resource before it is made. */
export interface GpuDashboardTransform {
  readonly configMap?: Transform<ConfigMapArgs>;
}

export const gpuDashboardDefaults = {
  namespace: "monitoring",
  operatorNamespace: "gpu-operator",
  labels: {},
} as const;

const gpuDashboardKeys = keysOf<GpuDashboardArgs>({
  namespace: true,
  operatorNamespace: true,
  labels: true,
  cluster: true,
  transform: true,
});
export const gpuDashboardTransformKeys = keysOf<GpuDashboardTransform>({ configMap: true });

/** Everything that is wrong with the arguments of a GpuDashboard. `at` leads the paths. */
export function gpuDashboardProblems(args: GpuDashboardArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given = withDefaults(args, gpuDashboardDefaults);
  return [
    ...onlyKeys(at, args, gpuDashboardKeys),
    ...namespaceProblems(join(at, "namespace"), given.namespace),
    ...dnsLabelProblems(join(at, "operatorNamespace"), given.operatorNamespace),
    ...objectLabelsProblems(join(at, "labels"), given.labels, '{ team: "gpu" }'),
    ...transformProblems(join(at, "transform"), args.transform, gpuDashboardTransformKeys),
  ];
}
