import type { Json, JsonObject } from "../../gpu/operator/values";
import { anyGpu } from "../alerts/promql";
import { gpuDashboardRows } from "./gpu-dashboard-rows";
import { panelJson, type Row } from "./panel";

/** Grafana's grid has 24 columns; a heading is one unit high. */
const gridWidth = 24;

/** Part of the dashboard's URL: it must not change. */
export const dashboardUid = "eks-gpu-lab-gpus";

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
