import { alertRule } from "./alert-rule";
import { lines, maxBy } from "./promql";

/** Model servers: their metrics have the names of vLLM, and ModelServer's ServiceMonitor gives them their job. */
export function servingAlerts() {
  return { name: "gpu-serving", title: "Model servers", rules: [serverNotReady, queueGrows, cacheFull] };
}

const server = "namespace, pod";
const model = "namespace, pod, model_name";

/** A restart shows that the start-up probe's budget, which follows from the model, is over, or that the server ended itself. */
const serverNotReady = alertRule({
  name: "ModelServerNotReady",
  expr: lines(
    `${maxBy(server, 'up{job="model-server"}')} == 0`,
    `and on (${server}) ${maxBy(server, 'kube_pod_container_status_restarts_total{container="vllm"}')} > 0`,
  ),
  for: "35m",
  severity: "ticket",
  summary: "The model server {{ $labels.namespace }}/{{ $labels.pod }} does not answer",
  description:
    "{{ $labels.namespace }}/{{ $labels.pod }} has restarted, and its port has not answered for 35 minutes. The server exits, or Kubernetes stops a start that takes longer than `startupMinutes`. The pod holds its GPUs.",
  steps: [
    "Read the current log, and the log of the run before the last restart: `kubectl logs POD --previous --tail=200`. The cause precedes `Engine core initialization failed`.",
    "Find the cause: `npx eks-gpu-lab triage`.",
    "Check whether the model fits at all: `npx eks-gpu-lab fit --model NAME --instance TYPE --context TOKENS`.",
    "If the log still shows progress when Kubernetes restarts the container, raise `startupMinutes`.",
  ],
  lab: "model-server",
});

/** Waiting now, for ten minutes, and more than ten minutes ago. */
const queueGrows = alertRule({
  name: "ModelServerQueueGrows",
  expr: lines(
    `${maxBy(model, "avg_over_time(vllm:num_requests_waiting[5m])")}`,
    `> ${maxBy(model, "avg_over_time(vllm:num_requests_waiting[5m] offset 10m)")}`,
    `and on (${model}) ${maxBy(model, "min_over_time(vllm:num_requests_waiting[10m])")} > 0`,
  ),
  for: "10m",
  severity: "ticket",
  summary: "The queue of requests for {{ $labels.model_name }} keeps growing",
  description:
    '{{ printf "%.0f" $value }} requests wait in {{ $labels.namespace }}/{{ $labels.pod }}, and their number has grown for ten minutes. More arrive than the server completes.',
  steps: [
    "Compare with the cache: see ModelServerCacheFull. A full cache limits how many requests run at once.",
    "Add replicas, one GPU each, or accept fewer and shorter requests.",
  ],
});

const cacheFull = alertRule({
  name: "ModelServerCacheFull",
  expr: `${maxBy(model, "min_over_time(vllm:kv_cache_usage_perc[5m])")} > 0.95`,
  for: "10m",
  severity: "ticket",
  summary: "The KV cache of {{ $labels.model_name }} is full",
  description:
    "{{ $labels.namespace }}/{{ $labels.pod }} has used more than 95 % of its KV cache for ten minutes. New requests wait, and running ones are interrupted and computed again.",
  steps: [
    "See what fits: `npx eks-gpu-lab fit --model NAME --instance TYPE --context TOKENS` prints the number of concurrent requests.",
    "Lower `maxModelLen`, raise `gpuMemoryUtilization`, use a quantized model or a larger GPU, or add replicas.",
  ],
});
