import { byHost, gpuIdentity, maxBy, xidIdentity } from "../alerts/promql";
import type { Panel } from "./panel";

/** The nodes that the reader selects at the top of the dashboard. The exporter sets one of the two labels. */
const chosen = '{Hostname=~"$node|", hostname=~"$node|"}';
const gpuLegend = "{{Hostname}} GPU {{gpu}}";

function ofGpus(title: string, description: string, metric: string, unit: NonNullable<Panel["unit"]>): Panel {
  const queries = [{ expr: maxBy(gpuIdentity, byHost(`${metric}${chosen}`)), legend: gpuLegend }];
  return { type: "timeseries", title, description, queries, unit, width: 8, height: 8 };
}

/** @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.1-4.8.0/etc/dcp-metrics-included.csv, the metrics that the operator configures */
export const gpuPanels: readonly Panel[] = [
  ofGpus("Utilization", "Share of the time during which a kernel ran on the GPU.", "DCGM_FI_DEV_GPU_UTIL", "percent"),
  ofGpus("Memory used", "An A10G has 23028 MiB.", "DCGM_FI_DEV_FB_USED", "mbytes"),
  ofGpus("Temperature", "A GPU slows down above its temperature limit.", "DCGM_FI_DEV_GPU_TEMP", "celsius"),
  ofGpus(
    "Power",
    "High utilization with little power means that the GPU waits for data.",
    "DCGM_FI_DEV_POWER_USAGE",
    "watt",
  ),
  {
    type: "timeseries",
    title: "XIDs",
    description:
      "Errors that the driver reported, by number. Each line lasts at least five minutes. The exporter repeats the last error until it restarts; 0 means no error.",
    queries: [
      {
        expr: maxBy(xidIdentity, byHost(`max_over_time(DCGM_FI_DEV_XID_ERRORS${chosen}[5m])`)),
        legend: `${gpuLegend} XID {{err_code}} {{err_msg}}`,
      },
    ],
    unit: "none",
    width: 8,
    height: 8,
  },
  {
    type: "timeseries",
    title: "Memory rows remapped",
    description:
      "Rows remapped after ECC errors. By default the exporter does not export the ECC counters themselves. A failure means that no spare row is left.",
    queries: [
      {
        expr: maxBy(gpuIdentity, byHost(`DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS${chosen}`)),
        legend: `${gpuLegend} correctable`,
      },
      {
        expr: maxBy(gpuIdentity, byHost(`DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS${chosen}`)),
        legend: `${gpuLegend} uncorrectable`,
      },
      { expr: maxBy(gpuIdentity, byHost(`DCGM_FI_DEV_ROW_REMAP_FAILURE${chosen}`)), legend: `${gpuLegend} failed` },
    ],
    unit: "none",
    width: 8,
    height: 8,
  },
];
