import type { Series } from "../../promtool";
import { healthy } from "../cluster-series";
import type { Firing, Scenario } from "../promtool-table";
import { always, ksm, selector, since, step } from "../series";
import { target } from "../target-series";

const place = { namespace: "gpu-lab", pod: "llm-0" };
const model_name = "Qwen/Qwen2.5-7B-Instruct";

/** Metrics of a server, with the labels that vLLM and a scrape give them. */
function vllm(metrics: Readonly<Record<string, string>>): Series {
  const labels = { ...place, job: "model-server", engine: "0", model_name };
  return Object.fromEntries(
    Object.entries(metrics).map(([name, values]) => [selector(`vllm:${name}`, labels), values]),
  );
}

const idle = { num_requests_waiting: always(0), kv_cache_usage_perc: always(0.2) };
const grows: Firing = ["ModelServerQueueGrows", { ...place, model_name }, 22];
const full: Firing = ["ModelServerCacheFull", { ...place, model_name }, 0.99];
const deaf: Firing = ["ModelServerNotReady", { namespace: "gpu-lab", pod: "model-server-gpu-1" }, 0];
/** Restarts of the server's container, as kube-state-metrics counts them. */
const restarts = (values: string, container = "vllm") =>
  ksm("kube_pod_container_status_restarts_total", { ...deaf[1], uid: "uid", container }, values);

export const serving: readonly Scenario[] = [
  [
    "a server ends itself again and again",
    { ...healthy(), ...target("model-server", "gpu-1", always(0), "gpu-lab"), ...restarts(`0x2 1x9 2x9 ${always(3)}`) },
    [["37m"], ["38m", deaf]],
  ],
  [
    "a large model loads for longer than two hours",
    { ...healthy(), ...target("model-server", "gpu-1", step(0, 130, 1), "gpu-lab"), ...restarts(always(0)) },
    [["35m"], ["129m"], ["180m"]],
  ],
  [
    "a server does not answer before Kubernetes restarts it, nor after",
    { ...healthy(), ...target("model-server", "gpu-1", always(0), "gpu-lab"), ...restarts(step(0, 110, 1)) },
    [["144m"], ["145m", deaf]],
  ],
  [
    "a sidecar of a server that loads restarts",
    { ...healthy(), ...target("model-server", "gpu-1", always(0), "gpu-lab"), ...restarts(always(4), "proxy") },
    [["60m"]],
  ],
  [
    "a server answers after 30 minutes",
    { ...healthy(), ...target("model-server", "gpu-1", step(0, 30, 1), "gpu-lab"), ...vllm(idle) },
    [["29m"], ["60m"]],
  ],
  [
    "the queue of a server grows, and then stays as long as it is",
    { ...healthy(), ...vllm({ ...idle, num_requests_waiting: "0x10 1+1x39 40x140" }) },
    [["25m"], ["35m", grows], ["90m"]],
  ],
  [
    "a queue that is long but does not grow",
    { ...healthy(), ...vllm({ ...idle, num_requests_waiting: always(20) }) },
    [["90m"]],
  ],
  [
    "the cache of a server is full",
    { ...healthy(), ...vllm({ ...idle, kv_cache_usage_perc: since(5, 0.99) }) },
    [["14m"], ["20m", full]],
  ],
  [
    "the cache is full now and then",
    { ...healthy(), ...vllm({ ...idle, kv_cache_usage_perc: "0.99x4 0.5 ".repeat(30).trim() }) },
    [["60m"], ["120m"]],
  ],
];
