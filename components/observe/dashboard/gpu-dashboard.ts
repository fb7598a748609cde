import { ConfigMap, type ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import * as pulumi from "@pulumi/pulumi";
import { dnsLabel, labels } from "../../core/kubernetes-names";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions, clusterResource } from "../../core/options";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, resolveArgs, type GivenOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed, transformOf, type Transform } from "../../core/transform";
import type { Json, JsonObject } from "../../gpu/operator/values";
import { workloadLabels } from "../../workloads/shared/workload";
import { anyGpu } from "../alerts/promql";
import { gpuDashboardRows } from "./gpu-dashboard-rows";
import { panelJson, type Row } from "./panel";

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

/** Grafana's grid has 24 columns; a heading is one unit high. */
const gridWidth = 24;

/** Part of the dashboard's URL: it must not change. */
const dashboardUid = "eks-gpu-lab-gpus";

/**
 * The dashboard in the form that Grafana imports. `namespace` is the GPU Operator's.
 * @see https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */
export function gpuDashboardJson(namespace = "gpu-operator"): JsonObject {
  return {
    uid: dashboardUid,
    title: "GPUs",
    description: "GPU nodes, their GPUs and the pods that request them.",
    tags: ["eks-gpu-lab", "gpu"],
    schemaVersion: 39,
    version: 1,
    editable: false,
    graphTooltip: 1,
    timezone: "browser",
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    annotations: { list: [] },
    templating: { list: [datasourceVariable, nodeVariable] },
    panels: placed(gpuDashboardRows(namespace)),
  };
}

const datasourceVariable = {
  name: "datasource",
  type: "datasource",
  query: "prometheus",
  label: "Prometheus",
  hide: 0,
} as const;

const nodeVariable = {
  name: "node",
  type: "query",
  label: "Node",
  datasource: { type: "prometheus", uid: "${datasource}" },
  // Nodes whose kubelet has ever reported a GPU, including those that advertise 0 now.
  query: { query: `label_values(kube_node_status_allocatable{${anyGpu}}, node)`, refId: "nodes" },
  includeAll: true,
  allValue: ".*",
  multi: true,
  refresh: 2,
  sort: 1,
  current: { text: "All", value: "$__all" },
} as const;

/** Headings and panels from left to right and from top to bottom, each with its own id. */
function placed(rows: readonly Row[]): Json[] {
  const panels: Json[] = [];
  let y = 0;
  for (const { title, panels: own } of rows) {
    const heading = { id: panels.length + 1, type: "row", title, collapsed: false, panels: [] };
    panels.push({ ...heading, gridPos: { x: 0, y, w: gridWidth, h: 1 } });
    y += 1;
    let x = 0;
    let highest = 0;
    for (const panel of own) {
      if (x + panel.width > gridWidth) {
        y += highest;
        x = 0;
        highest = 0;
      }
      panels.push(panelJson(panel, { id: panels.length + 1, x, y }));
      x += panel.width;
      highest = Math.max(highest, panel.height);
    }
    y += highest;
  }
  return panels;
}
