import type { AlertGroup, AlertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import { deploymentsOf, duringSession, jobsWithGpu, lines, once, overtakenJobs, podsWithGpu } from "./promql";

/** Pods that wait for a GPU, rollouts that wait for themselves, and work that has failed. */
export function rolloutAlerts(settings: AlertSettings): AlertGroup {
  const rules = [podUnschedulable(settings), rolloutDeadlock(settings), deploymentNotProgressing(settings), jobFailed];
  return { name: "gpu-rollout", title: "Pods, rollouts and Jobs", rules };
}

/** Pods that ask for a GPU and that the scheduler has no place for. */
const waitingPods = lines(
  once("namespace, pod", "kube_pod_status_unschedulable"),
  `and on (namespace, pod) ${podsWithGpu}`,
);

const podUnschedulable = ({ pendingMinutes, startupMinutes }: AlertSettings): AlertRule => ({
  name: "GpuPodUnschedulable",
  expr: lines(waitingPods, duringSession(startupMinutes)),
  for: `${pendingMinutes}m`,
  severity: "ticket",
  summary: "{{ $labels.namespace }}/{{ $labels.pod }} waits for a GPU",
  description: `The scheduler has found no node for {{ $labels.namespace }}/{{ $labels.pod }}, which asks for a GPU, for ${pendingMinutes} minutes, and GPU nodes are up. With none up it is silent: then the pod waits for a session.`,
  steps: [
    "Read why: `kubectl describe pod POD`. `Insufficient nvidia.com/gpu` counts nodes without a GPU too.",
    "Compare the resource that it asks for with what the nodes offer: shared GPUs and MIG devices may have names of their own, such as `nvidia.com/mig-1g.5gb`.",
    "`had untolerated taint`: the pod lacks the toleration of nvidia.com/gpu.",
    "With every GPU taken, end a pod or add a node: `maxSize` of the node group, and the quota, say how many there may be.",
  ],
  lab: "gpu-rollout",
});

/** The number as the Deployment's own controller rounds it; with a surge of 0 it would end one pod all the same. */
const rollingUpdate = (what: "max_unavailable" | "max_surge") =>
  once("namespace, deployment", `kube_deployment_spec_strategy_rollingupdate_${what}`);

/** Old pods hold the GPUs that the new ones wait for, and may end only when a new one is ready. */
const rolloutDeadlock = ({ startupMinutes }: AlertSettings): AlertRule => ({
  name: "GpuRolloutDeadlock",
  expr: lines(
    once("namespace, deployment", "kube_deployment_status_replicas"),
    `- ${once("namespace, deployment", "kube_deployment_status_replicas_updated")} > 0`,
    `and on (namespace, deployment) ${rollingUpdate("max_unavailable")} == 0`,
    `and on (namespace, deployment) ${rollingUpdate("max_surge")} > 0`,
    `and on (namespace, deployment) ${deploymentsOf(waitingPods)}`,
    duringSession(startupMinutes),
  ),
  for: "5m",
  severity: "ticket",
  summary: "The rollout of {{ $labels.namespace }}/{{ $labels.deployment }} waits for its own GPUs",
  description:
    "{{ $value }} pods of the old revision of {{ $labels.namespace }}/{{ $labels.deployment }} are there, and a pod of the new one waits for a GPU. With maxUnavailable 0 no old pod ends before a new one is ready: unless another GPU becomes free, nobody moves.",
  steps: [
    "Look at both: `kubectl get pods -l app.kubernetes.io/name=NAME -o wide`.",
    "Set maxSurge to 0 and maxUnavailable to 1, or the strategy to Recreate, apply, then `kubectl rollout restart deployment NAME`. It interrupts the service.",
    "Or add a GPU node, if the pod is not pinned to one node by its hostname.",
  ],
  lab: "gpu-rollout",
});

const deploymentNotProgressing = ({ startupMinutes }: AlertSettings): AlertRule => ({
  name: "GpuDeploymentNotProgressing",
  expr: lines(
    `${once("namespace, deployment", 'kube_deployment_status_condition{condition="Progressing", status="false"}')} == 1`,
    `and on (namespace, deployment) ${deploymentsOf(podsWithGpu)}`,
    duringSession(startupMinutes),
  ),
  for: "5m",
  severity: "ticket",
  summary: "{{ $labels.namespace }}/{{ $labels.deployment }} has given up its rollout",
  description:
    "{{ $labels.namespace }}/{{ $labels.deployment }}, whose pods ask for GPUs, made no progress within its deadline, ten minutes unless stated otherwise.",
  steps: [
    "Look at the newest pods: `kubectl get pods`, `kubectl describe pod POD`. A pod without a node waits for a GPU; one with a node cannot pull or start.",
    "Take the revision back: `kubectl rollout undo deployment NAME`, and the same in the program.",
  ],
  lab: "gpu-rollout",
});

/**
 * On the condition and not on pods that failed: a Job may try again. A CronJob keeps its last failed Job, whatever comes
 * after.
 */
const jobFailed: AlertRule = {
  name: "GpuJobFailed",
  expr: lines(
    `${once("namespace, job_name", 'kube_job_failed{condition="true"}')} == 1`,
    `and on (namespace, job_name) ${jobsWithGpu}`,
    `unless on (namespace, job_name) (${overtakenJobs})`,
  ),
  for: "1m",
  severity: "ticket",
  summary: "Job {{ $labels.namespace }}/{{ $labels.job_name }}, which had GPUs, has failed",
  description:
    "{{ $labels.namespace }}/{{ $labels.job_name }} has failed and will not try again; what its GPUs cost is spent. It stays until the Job, or its pods for an hour, are gone, and for a run of a CronJob until one has succeeded since it began. A Job that never got a GPU is not meant.",
  steps: [
    "Read why: `kubectl describe job NAME`. `DeadlineExceeded` and pods that ended by their own timeout mean that it hung.",
    "Read the last words of its pods: `kubectl logs -l batch.kubernetes.io/job-name=NAME --prefix`, and each pod's termination message.",
    "Where pods on several nodes waited for each other, look at the path between the nodes: GpuNodeUnreachable may tell.",
  ],
  lab: "nccl-block",
};
