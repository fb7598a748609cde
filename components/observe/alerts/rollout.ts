import type { AlertGroup, AlertRule, AlertSettings } from "./alert-rule";
import { deploymentsOf, lines, once, podsWithGpu } from "./promql";

/** Pods that wait for a GPU, and rollouts that wait for themselves. */
export function rolloutAlerts(settings: AlertSettings): AlertGroup {
  const rules = [podUnschedulable(settings), rolloutDeadlock, deploymentNotProgressing];
  return { name: "gpu-rollout", title: "Scheduling and rollouts", rules };
}

/** Pods that ask for a GPU and that the scheduler has no place for. */
const waitingPods = lines(
  once("namespace, pod", "kube_pod_status_unschedulable"),
  `and on (namespace, pod) ${podsWithGpu}`,
);

const podUnschedulable = ({ pendingMinutes }: AlertSettings): AlertRule => ({
  name: "GpuPodUnschedulable",
  expr: waitingPods,
  for: `${pendingMinutes}m`,
  severity: "ticket",
  summary: "{{ $labels.namespace }}/{{ $labels.pod }} waits for a GPU",
  description: `The scheduler has found no node for {{ $labels.namespace }}/{{ $labels.pod }}, which asks for a GPU, for ${pendingMinutes} minutes.`,
  steps: [
    "Read why: `kubectl describe pod POD`. `Insufficient nvidia.com/gpu` counts nodes without a GPU too.",
    "`had untolerated taint`: the pod lacks the toleration of nvidia.com/gpu.",
    "With no GPU node up, start a session: `$(pulumi stack output scaleUp)`.",
  ],
  lab: "gpu-rollout",
});

/** Old pods hold the GPUs that the new ones wait for; the old ones end only when a new one is ready. */
const rolloutDeadlock: AlertRule = {
  name: "GpuRolloutDeadlock",
  expr: lines(
    once("namespace, deployment", "kube_deployment_status_replicas"),
    `- ${once("namespace, deployment", "kube_deployment_status_replicas_updated")} > 0`,
    `and on (namespace, deployment) ${deploymentsOf(waitingPods)}`,
  ),
  for: "5m",
  severity: "ticket",
  summary: "The rollout of {{ $labels.namespace }}/{{ $labels.deployment }} waits for its own GPUs",
  description:
    "{{ $value }} pods of the old revision of {{ $labels.namespace }}/{{ $labels.deployment }} hold GPUs, and a pod of the new one waits for a GPU. Kubernetes ends an old pod only when a new one is ready, so nobody moves.",
  steps: [
    "Look at both: `kubectl get pods -l app.kubernetes.io/name=NAME -o wide`.",
    "Set maxSurge to 0 and maxUnavailable to 1, or the strategy to Recreate, apply, then `kubectl rollout restart deployment NAME`. It interrupts the service.",
    "Or add a GPU node, if the pod is not pinned to one node by its hostname.",
  ],
  lab: "gpu-rollout",
};

const deploymentNotProgressing: AlertRule = {
  name: "GpuDeploymentNotProgressing",
  expr: lines(
    `${once("namespace, deployment", 'kube_deployment_status_condition{condition="Progressing", status="false"}')} == 1`,
    `and on (namespace, deployment) ${deploymentsOf(podsWithGpu)}`,
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
};
