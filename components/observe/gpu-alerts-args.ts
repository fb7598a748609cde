import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { Input, Resource } from "@pulumi/pulumi";
import { isPlainObject, join, keysOf, noObject, onlyKeys } from "../core/checks";
import { withDefaults } from "../core/defaults";
import type { Problem } from "../core/problems";
import { transformProblems, type Transform } from "../core/transform";
import {
  gpuAlertSettingDefaults,
  gpuAlertSettingKeys,
  gpuAlertSettingsProblems,
  type GpuAlertSettings,
} from "./alerts/alert-settings";
import { namespaceProblems } from "../workloads/shared/names";
import { objectLabelsProblems, type ObjectLabels } from "./object-labels";

export interface GpuAlertsArgs extends GpuAlertSettings {
  /**
   * Namespace of the PrometheusRule, which must be there.
   * @default "monitoring" - the one that Monitoring makes
   */
  readonly namespace?: Input<string>;
  /**
   * Labels of the PrometheusRule beside the component's own: what a Prometheus selects rules by.
   * @default {} - `release: kube-prometheus-stack` is always there, by which that chart selects unless told otherwise
   */
  readonly labels?: ObjectLabels;
  /**
   * The cluster: on destroy the rules go with it, without asking an API server that may be gone.
   * @default none - deleted by themselves
   */
  readonly cluster?: Resource;
  /** Adjusts the underlying resource. @default none - it is made as described */
  readonly transform?: GpuAlertsTransform;
}

/** Adjusts the underlying resource before it is made. */
export interface GpuAlertsTransform {
  readonly rule?: Transform<CustomResourceArgs>;
}

export const gpuAlertsDefaults = { ...gpuAlertSettingDefaults, namespace: "monitoring", labels: {} } as const;

const gpuAlertsKeys = keysOf<GpuAlertsArgs>({
  ...gpuAlertSettingKeys,
  namespace: true,
  labels: true,
  cluster: true,
  transform: true,
});
export const gpuAlertsTransformKeys = keysOf<GpuAlertsTransform>({ rule: true });

/** Everything that is wrong with the arguments of GpuAlerts. `at` leads the paths. */
export function gpuAlertsProblems(args: GpuAlertsArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given = withDefaults(args, gpuAlertsDefaults);
  return [
    ...onlyKeys(at, args, gpuAlertsKeys),
    ...namespaceProblems(join(at, "namespace"), given.namespace),
    ...objectLabelsProblems(join(at, "labels"), given.labels, '{ release: "prometheus" }'),
    ...gpuAlertSettingsProblems(given, at),
    ...transformProblems(join(at, "transform"), args.transform, gpuAlertsTransformKeys),
  ];
}
