import { CustomResource, type CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import * as pulumi from "@pulumi/pulumi";
import { withDefaults } from "../core/defaults";
import { refuseWithoutProvider } from "../core/kubernetes-provider";
import { childOptions } from "../core/options";
import { refuse } from "../core/problems";
import { token } from "../core/tokens";
import { transformed } from "../core/transform";
import { prometheusGroups } from "./alerts/gpu-alert-rules";
import { gpuAlertsDefaults, gpuAlertsProblems, type GpuAlertsArgs, type GpuAlertsTransform } from "./gpu-alerts-args";
import { workloadLabels } from "../workloads/shared/workload";

export { gpuAlertsDefaults, gpuAlertsProblems, type GpuAlertsArgs, type GpuAlertsTransform };

/** By this label kube-prometheus-stack selects rules, unless it is told to take all. */
export const ruleLabels = { release: "kube-prometheus-stack" } as const;

/**
 * Raises alerts on the accidents that GPU clusters have: GPUs that are not offered, an operator that is gone or cannot
 * work, faulty hardware, a broken container runtime, forgotten nodes, rollouts that wait for themselves. They are one
 * PrometheusRule, which a Prometheus Operator reads; without one, `rulesFile` gives the same rules as a file.
 *
 * The CRD must be in the cluster first: make it after Monitoring, with `dependsOn`. Alerts on GPU nodes join on node
 * labels, which kube-state-metrics exports only when told to; Monitoring tells it.
 *
 * @cost Nothing of its own: some expressions that Prometheus evaluates every half minute.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class GpuAlerts extends pulumi.ComponentResource {
  /** Name of the PrometheusRule. */
  readonly ruleName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;

  constructor(name: string, args: GpuAlertsArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuAlerts "${name}"`;
    refuse(subject, gpuAlertsProblems(args));
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, gpuAlertsDefaults);
    super(token("GpuAlerts"), name, settings, opts);
    refuseWithoutProvider(subject, this, undefined, "the alerts");

    const options = { ...childOptions(this, opts), ...(cluster && { deletedWith: cluster }) };
    const { namespace, labels } = settings;
    const rule: CustomResourceArgs = {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name, namespace, labels: { ...workloadLabels("gpu-alerts", name), ...ruleLabels, ...labels } },
      spec: { groups: prometheusGroups(settings) },
    };
    const made = new CustomResource(...transformed(transform?.rule, name, rule, options));

    this.ruleName = made.metadata.name;
    this.namespace = made.metadata.namespace;
    this.registerOutputs({ ruleName: this.ruleName, namespace: this.namespace });
  }
}
