import type { Series } from "../../promtool";
import { healthy } from "../cluster-series";
import type { Firing, Scenario } from "../promtool-table";
import { always, selector, since, step } from "../series";
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

export const serving: readonly Scenario[] = [
  [
    "a server does not answer for longer than a model needs to load",
    { ...healthy(), ...target("model-server", "gpu-1", always(0), "gpu-lab") },
    [["34m"], ["35m", deaf]],
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
