import { CustomResource, type CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import * as pulumi from "@pulumi/pulumi";
import * as v from "valibot";
import { dnsLabel, labels } from "../core/kubernetes-names";
import { refuseWithoutProvider } from "../core/kubernetes-provider";
import { childOptions, clusterResource } from "../core/options";
import type { Problem } from "../core/problems";
import { s, defaultsOf, problemsIn, resolveArgs, resolved, type GivenOf, type ValueOf } from "../core/schema";
import { token } from "../core/tokens";
import { transformed, transformOf, type Transform } from "../core/transform";
import { workloadLabels } from "../workloads/shared/workload";
import { alertSettingConflicts, alertSettings, type AlertSettings } from "./alerts/alert-settings";
import { prometheusGroups } from "./alerts/gpu-alert-rules";

/** Adjusts the underlying resource before it is created. */
export interface GpuAlertsTransform {
  readonly rule?: Transform<CustomResourceArgs>;
}

const gpuAlertsSection = s.section({
  ...alertSettings.entries,
  /**
   * Namespace of the PrometheusRule, which must exist.
   *
   * @default "monitoring" - the namespace that Monitoring creates
   */
  namespace: s.optional(s.input(dnsLabel({ example: "monitoring" })), "monitoring"),
  /**
   * Labels of the PrometheusRule in addition to the component's own, for a Prometheus that selects rules by them.
   *
   * @default {} - `release: kube-prometheus-stack`, by which that chart selects rules by default, is always set
   */
  labels: s.optional(labels('{ release: "prometheus" }'), {}),
  /**
   * The cluster: on destroy, the rules are deleted with the cluster, without a call to an API server that may be gone.
   *
   * @default none - Pulumi deletes the rules
   */
  cluster: s.optional(clusterResource()),
  /** Adjusts the underlying resource. @default none - it is not adjusted */
  transform: s.optional(transformOf<GpuAlertsTransform>({ rule: true })),
});

export const gpuAlerts = v.pipe(
  gpuAlertsSection,
  s.check((args: ValueOf<typeof gpuAlertsSection>, at) => alertSettingConflicts(args, at)),
);

export const gpuAlertsDefaults = defaultsOf(gpuAlertsSection);

/** Arguments of GpuAlerts. */
export interface GpuAlertsArgs extends Readonly<GivenOf<typeof gpuAlerts>> {}

/** Every problem in the arguments of GpuAlerts. `at` is the prefix of the paths. */
export function gpuAlertsProblems(args: GpuAlertsArgs, at = ""): readonly Problem[] {
  return problemsIn(gpuAlerts, args, at);
}

/** kube-prometheus-stack selects rules by this label, unless its values make it select all. */
const ruleLabels = { release: "kube-prometheus-stack" } as const;

/**
 * Alerts on the failures of GPU clusters: GPUs that are not advertised, a missing or failing GPU Operator, faulty
 * hardware, a broken container runtime, forgotten nodes and deadlocked rollouts. It creates one PrometheusRule, which
 * the Prometheus Operator reads. Without that operator, `rulesFile` returns the same rules as a file.
 *
 * The cluster must have the CRD: create the alerts after Monitoring, with `dependsOn`. Alerts on GPU nodes join on node
 * labels, which kube-state-metrics exports only when it is configured to; Monitoring configures it.
 *
 * @cost No additional charge. Prometheus evaluates the expressions every half minute.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class GpuAlerts extends pulumi.ComponentResource {
  /** Name of the PrometheusRule. */
  readonly ruleName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;

  constructor(name: string, args: GpuAlertsArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuAlerts "${name}"`;
    const { cluster, transform, ...settings } = resolveArgs(subject, gpuAlerts, args);
    super(token("GpuAlerts"), name, settings, opts);
    refuseWithoutProvider(subject, this, undefined, "the alerts");

    const options = childOptions(this, opts, cluster);
    const { namespace, labels: own, ...alerts } = settings;
    const rule: CustomResourceArgs = {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name, namespace, labels: { ...workloadLabels("gpu-alerts", name), ...ruleLabels, ...own } },
      spec: { groups: prometheusGroups(resolved<AlertSettings>(alerts)) },
    };
    const resource = new CustomResource(...transformed(transform?.rule, name, rule, options));

    this.ruleName = resource.metadata.name;
    this.namespace = resource.metadata.namespace;
    this.registerOutputs({ ruleName: this.ruleName, namespace: this.namespace });
  }
}
