import { ConfigMap, type ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import * as pulumi from "@pulumi/pulumi";
import { dnsLabel, labels } from "../../core/kubernetes-names";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions, clusterResource } from "../../core/options";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, resolveArgs, type GivenOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed, transformOf, type Transform } from "../../core/transform";
import { workloadLabels } from "../../workloads/shared/workload";
import { dashboardUid, gpuDashboardJson } from "./dashboard-json";

/** Adjusts the underlying resource before it is created. */
export interface GpuDashboardTransform {
  readonly configMap?: Transform<ConfigMapArgs>;
}

/** Arguments of a GpuDashboard. */
export const gpuDashboard = s.section({
  /**
   * Namespace of the ConfigMap, which must exist.
   *
   * @default "monitoring" - the namespace that Monitoring creates; its Grafana looks in all namespaces
   */
  namespace: s.optional(s.input(dnsLabel({ example: "monitoring" })), "monitoring"),
  /**
   * Namespace of the GPU Operator, whose DaemonSets the dashboard shows.
   *
   * @default "gpu-operator" - the default of GpuOperator
   */
  operatorNamespace: s.optional(dnsLabel({ example: "gpu-operator" }), "gpu-operator"),
  /**
   * Labels of the ConfigMap in addition to the component's own and `grafana_dashboard: "1"`, by which Grafana's sidecar
   * finds it.
   *
   * @default {} - Grafana needs no other labels
   */
  labels: s.optional(labels('{ team: "gpu" }'), {}),
  /**
   * The cluster: on destroy, the dashboard is deleted with the cluster, without a call to an API server that may be
   * gone.
   *
   * @default none - Pulumi deletes the dashboard
   */
  cluster: s.optional(clusterResource()),
  /** Adjusts the underlying resource. @default none - it is not adjusted */
  transform: s.optional(transformOf<GpuDashboardTransform>({ configMap: true })),
});

export const gpuDashboardDefaults = defaultsOf(gpuDashboard);

export interface GpuDashboardArgs extends Readonly<GivenOf<typeof gpuDashboard>> {}

/** Every problem in the arguments of a GpuDashboard. `at` is the prefix of the paths. */
export function gpuDashboardProblems(args: GpuDashboardArgs, at = ""): readonly Problem[] {
  return problemsIn(gpuDashboard, args, at);
}

/** Grafana's sidecar finds dashboards by this label. */
const dashboardLabels = { grafana_dashboard: "1" } as const;

/**
 * Shows GPU nodes and their GPUs in Grafana: allocatable and requested GPUs, utilization, memory, temperature, power and
 * errors, node conditions, the operator's DaemonSets and pending pods. It creates a ConfigMap, which Grafana's sidecar
 * reads.
 *
 * @cost Nothing.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class GpuDashboard extends pulumi.ComponentResource {
  /** Name of the ConfigMap. */
  readonly configMapName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  /** Path of the dashboard in Grafana. */
  readonly path: pulumi.Output<string>;

  constructor(name: string, args: GpuDashboardArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GpuDashboard "${name}"`;
    const { cluster, transform, ...settings } = resolveArgs(subject, gpuDashboard, args);
    super(token("GpuDashboard"), name, settings, opts);
    refuseWithoutProvider(subject, this, undefined, "the dashboard");

    const options = childOptions(this, opts, cluster);
    const { namespace, labels: own } = settings;
    const map: ConfigMapArgs = {
      metadata: {
        name,
        namespace,
        labels: { ...own, ...workloadLabels("gpu-dashboard", name), ...dashboardLabels },
      },
      data: { "gpus.json": JSON.stringify(gpuDashboardJson(settings.operatorNamespace), null, 2) },
    };
    const resource = new ConfigMap(...transformed(transform?.configMap, name, map, options));

    this.configMapName = resource.metadata.name;
    this.namespace = resource.metadata.namespace;
    this.path = pulumi.output(`/d/${dashboardUid}`);
    this.registerOutputs({ configMapName: this.configMapName, namespace: this.namespace, path: this.path });
  }
}
