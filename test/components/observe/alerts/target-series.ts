import { socketStateMetric, socketStates } from "../../../../components/workloads/socket/socket-metrics";
import type { Series } from "../promtool";
import { always, ksm, selector } from "./series";

/** A pod of a node that Prometheus reads, and whether it answers. */
export function target(job: string, node: string, up = always(1), namespace = "monitoring"): Series {
  const pod = `${job}-${node}`;
  return {
    [selector("up", { namespace, pod, job })]: up,
    ...ksm("kube_pod_info", { namespace, pod, uid: `uid-${pod}`, node }, always(1)),
  };
}

/** What stands at a GPU in the exporter's series, scraped as the operator's ServiceMonitor has it, without honorLabels. */
function gpuLabels(node: string): Readonly<Record<string, string>> {
  return {
    ...{ gpu: "0", UUID: `GPU-${node}`, modelName: "NVIDIA A10G", Hostname: node, namespace: "gpu-operator" },
    ...{ job: "nvidia-dcgm-exporter", pod: `nvidia-dcgm-exporter-${node}` },
  };
}

/** The DCGM exporter's metrics of a node's GPU, but for XIDs. */
export function dcgm(node: string, metrics: Readonly<Record<string, string>> = {}, more: Series = {}): Series {
  const all = {
    DCGM_FI_DEV_GPU_UTIL: always(80),
    DCGM_FI_DEV_GPU_TEMP: always(40),
    DCGM_FI_DEV_ROW_REMAP_FAILURE: always(0),
    ...metrics,
  };
  const labels = { ...gpuLabels(node), ...more };
  return Object.fromEntries(Object.entries(all).map(([metric, values]) => [selector(metric, labels), values]));
}

const texts: Readonly<Record<string, string>> = {
  0: "No Error",
  31: "GPU memory page fault",
  45: "Preemptive cleanup",
  63: "ECC page retirement or row remapping recording event",
  79: "GPU has fallen off the bus",
};

/** The labels by which an alert names an XID of a node's GPU. */
export function xidLabels(node: string, code: number): Readonly<Record<string, string>> {
  const { gpu = "", UUID = "", modelName = "", Hostname = "" } = gpuLabels(node);
  return { gpu, UUID, modelName, Hostname, err_code: String(code), err_msg: texts[code] ?? "Unknown Error" };
}

/** The last XID: a series for each number, of which one is there at a time. */
export function xid(node: string, code: number, values: string, more: Series = {}): Series {
  const labels = { ...gpuLabels(node), ...xidLabels(node, code), ...more };
  return { [selector("DCGM_FI_DEV_XID_ERRORS", labels)]: values };
}

export function socket(node: string, state: (typeof socketStates)[number], values = always(1)): Series {
  const path = "/run/containerd/containerd.sock";
  const states = socketStates.filter((one) => one !== state);
  return Object.fromEntries([
    [selector(socketStateMetric, { node, path, state }), values],
    ...states.map((one) => [selector(socketStateMetric, { node, path, state: one }), always(0)]),
  ]) as Series;
}

/** Whether Prometheus can read a pod of kube-state-metrics. */
export function stateMetricsTarget(up: number, pod = "a"): Series {
  return { [selector("up", { job: "kube-state-metrics", namespace: "monitoring", pod })]: always(up) };
}

/** What Prometheus reports of a ServiceMonitor that it reads. */
export function poolOf(name: string, targets: number): Series {
  const labels = { scrape_job: `serviceMonitor/monitoring/${name}/0` };
  return { [selector("prometheus_target_scrape_pool_targets", labels)]: always(targets) };
}

export function operatorCounts(gpuNodes: number): Series {
  return { [selector("gpu_operator_gpu_nodes_total", { namespace: "gpu-operator" })]: always(gpuNodes) };
}

/** The same metrics of an exporter after 4.8.2. @see https://github.com/NVIDIA/dcgm-exporter/pull/655 */
export function asNewExporter(series: Series): Series {
  return Object.fromEntries(
    Object.entries(series).map(([name, values]) => [name.replace("Hostname=", "hostname="), values]),
  );
}
