import { ConfigMap, type ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import * as pulumi from "@pulumi/pulumi";
import { withDefaults } from "../../core/defaults";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions } from "../../core/options";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { workloadLabels } from "../../workloads/shared/workload";
import { dashboardUid, gpuDashboardJson } from "./dashboard-json";
import {
  gpuDashboardDefaults,
  gpuDashboardProblems,
  type GpuDashboardArgs,
  type GpuDashboardTransform,
} from "./gpu-dashboard-args";

export { gpuDashboardDefaults, gpuDashboardProblems, type GpuDashboardArgs, type GpuDashboardTransform };

/** By this label the sidecar of Grafana finds dashboards. */
export const dashboardLabels = { grafana_dashboard: "1" } as const;

/**
 * Shows GPU nodes and their GPUs in Grafana: what is offered and requested, utilisation, memory, temperature, power and
 * errors, node conditions, the operator's DaemonSets and the pods that wait. It is a ConfigMap, which the sidecar of
 * Grafana reads.
 *
 * @cost Nothing.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class GpuDashboard extends pulumi.ComponentResource {
  /** Name of the ConfigMap. */
  readonly configMapName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** Where it is in Grafana, after the address of Grafana itself. */
  readonly path: pulumi.Output<string>;

  constructor(name: string, args: GpuDashboardArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuDashboard "${name}"`;
    refuse(subject, gpuDashboardProblems(args));
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, gpuDashboardDefaults);
    super(token("GpuDashboard"), name, settings, opts);
    refuseWithoutProvider(subject, this, undefined, "the dashboard");

    const options = { ...childOptions(this, opts), ...(cluster && { deletedWith: cluster }) };
    const { namespace, labels } = settings;
    const map: ConfigMapArgs = {
      metadata: {
        name,
        namespace,
        labels: { ...labels, ...workloadLabels("gpu-dashboard", name), ...dashboardLabels },
      },
      data: { "gpus.json": JSON.stringify(gpuDashboardJson(settings.operatorNamespace), null, 2) },
    };
    const made = new ConfigMap(...transformed(transform?.configMap, name, map, options));

    this.configMapName = made.metadata.name;
    this.namespace = made.metadata.namespace;
    this.path = pulumi.output(`/d/${dashboardUid}`);
    this.registerOutputs({ configMapName: this.configMapName, namespace: this.namespace, path: this.path });
  }
}
