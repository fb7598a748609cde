import { alertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import {
  allSettledGpuNodes,
  deploymentsOf,
  duringSession,
  gpusOfRuns,
  jobsWithGpu,
  leaseCronJobs,
  lines,
  maxBy,
  overtakenJobs,
  podsWithGpu,
} from "./promql";

/** Pods that wait for a GPU, deadlocked rollouts, and failed Jobs. */
export function rolloutAlerts(settings: AlertSettings) {
  const rules = [
    podUnschedulable(settings),
    podWithoutNode(settings),
    rolloutDeadlock(settings),
    deploymentNotProgressing(settings),
    gangDeadlock(settings),
    jobFailed,
  ];
  return { name: "gpu-rollout", title: "Pods, rollouts and Jobs", rules };
}

/** Pods that request a GPU and that no node can run. */
const waitingPods = lines(
  maxBy("namespace, pod", "kube_pod_status_unschedulable"),
  `and on (namespace, pod) ${podsWithGpu}`,
);

const podUnschedulable = ({ pendingMinutes, startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuPodUnschedulable",
    expr: lines(waitingPods, duringSession(startupMinutes)),
    for: `${pendingMinutes}m`,
    severity: "ticket",
    summary: "{{ $labels.namespace }}/{{ $labels.pod }} waits for a GPU",
    description: `The scheduler has found no node for {{ $labels.namespace }}/{{ $labels.pod }}, which requests a GPU, for ${pendingMinutes} minutes while GPU nodes are running.`,
    steps: [
      "Find the reason: `kubectl describe pod POD`. `Insufficient nvidia.com/gpu` also counts nodes without a GPU.",
      "Compare the requested resource with the resources that the nodes advertise: shared GPUs and MIG devices may have other names, such as `nvidia.com/mig-1g.5gb`.",
      "`had untolerated taint(s)` means that the pod does not tolerate a taint of the GPU nodes.",
      "If all GPUs are in use, delete a pod or add a node. `maxSize` of the node group and the quota limit the number of nodes.",
    ],
    lab: "gpu-rollout",
  });

/** EKS Auto Mode has no Deployment in the cluster, so the lease of its NodePool shows that something starts nodes. */
const provisioners = [
  'count(kube_deployment_status_replicas_available{deployment="karpenter"} > 0)',
  `count(kube_cronjob_info{namespace="kube-system", cronjob=~"${leaseCronJobs}"})`,
].join(" or ");

/** With a GPU node, GpuPodUnschedulable fires instead. A pod with a ResourceClaim requests no GPU, so it has no metric. */
const podWithoutNode = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuPodWithoutNode",
    expr: lines(
      waitingPods,
      `and on () (${provisioners}) > 0`,
      `unless on () count(${allSettledGpuNodes(startupMinutes)}) > 0`,
    ),
    for: `${startupMinutes}m`,
    severity: "ticket",
    summary: "Nothing has started a GPU node for {{ $labels.namespace }}/{{ $labels.pod }}",
    description: `{{ $labels.namespace }}/{{ $labels.pod }} requests a GPU and has waited for ${startupMinutes} minutes, which is enough for Karpenter or EKS Auto Mode to start a node. The cluster has no GPU node, or only one that has just started. With EKS Auto Mode, the alert needs the lease of a GpuEnvironment.`,
    steps: [
      "Read why no node starts: `kubectl describe pod POD`, the events `FailedScheduling` from `karpenter` or `eks-auto-mode/compute`.",
      "Without such an event, check the nodes that start: `kubectl describe nodeclaims`.",
      "`exceed limits` means that the NodePool has reached its limit; a lease sets it to 0.",
    ],
    lab: "no-node-comes",
  });

/** The number as the Deployment's controller rounds it; with a surge of 0 the controller ends one pod anyway. */
const rollingUpdate = (what: "max_unavailable" | "max_surge") =>
  maxBy("namespace, deployment", `kube_deployment_spec_strategy_rollingupdate_${what}`);

/** Old pods use the GPUs that the new ones wait for, and end only when a new one is ready. */
const rolloutDeadlock = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuRolloutDeadlock",
    expr: lines(
      maxBy("namespace, deployment", "kube_deployment_status_replicas"),
      `- ${maxBy("namespace, deployment", "kube_deployment_status_replicas_updated")} > 0`,
      `and on (namespace, deployment) ${rollingUpdate("max_unavailable")} == 0`,
      `and on (namespace, deployment) ${rollingUpdate("max_surge")} > 0`,
      `and on (namespace, deployment) ${deploymentsOf(waitingPods)}`,
      duringSession(startupMinutes),
    ),
    for: "5m",
    severity: "ticket",
    summary: "The rollout of {{ $labels.namespace }}/{{ $labels.deployment }} waits for its own GPUs",
    description:
      "{{ $value }} pods of the old revision of {{ $labels.namespace }}/{{ $labels.deployment }} are running, and a pod of the new revision waits for a GPU. The rollout continues only when another GPU becomes free.",
    steps: [
      "List the pods of both revisions: `kubectl get pods -l app.kubernetes.io/name=NAME -o wide`.",
      "Set maxSurge to 0 and maxUnavailable to 1, or the strategy to Recreate, and apply the change. This interrupts the service.",
      "Or add a GPU node, unless the pod selects one node by its host name.",
    ],
    lab: "gpu-rollout",
  });

const deploymentNotProgressing = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuDeploymentNotProgressing",
    expr: lines(
      `${maxBy("namespace, deployment", 'kube_deployment_status_condition{condition="Progressing", status="false"}')} == 1`,
      `and on (namespace, deployment) ${deploymentsOf(podsWithGpu)}`,
      duringSession(startupMinutes),
    ),
    for: "5m",
    severity: "ticket",
    summary: "The rollout of {{ $labels.namespace }}/{{ $labels.deployment }} has exceeded its deadline",
    description:
      "{{ $labels.namespace }}/{{ $labels.deployment }}, whose pods request GPUs, made no progress within its deadline (ten minutes by default).",
    steps: [
      "Check the newest pods: `kubectl get pods`, `kubectl describe pod POD`. A pod without a node waits for a GPU; a pod with a node cannot pull its image or start.",
      "Roll back: `kubectl rollout undo deployment NAME`, and revert the change in the program.",
    ],
    lab: "gpu-rollout",
  });

const heldGpus = gpusOfRuns(
  'node!=""',
  'unless on (namespace, pod) kube_pod_status_phase{phase=~"Succeeded|Failed"} == 1',
);
const wantedGpus = gpusOfRuns('node=""', "and on (namespace, pod) kube_pod_status_unschedulable == 1");

/** Runs that hold some of their GPUs, of which the others hold enough for one. No metric shows which nodes they can use. */
const gangDeadlock = ({ pendingMinutes, startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuGangDeadlock",
    expr: lines(
      wantedGpus,
      `<= scalar(sum(${heldGpus} and ${wantedGpus})) - ${heldGpus}`,
      duringSession(startupMinutes),
    ),
    for: `${pendingMinutes}m`,
    severity: "ticket",
    summary:
      "{{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} waits for GPUs of a run that also waits",
    description: `{{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} holds some of its GPUs and has waited ${pendingMinutes} minutes for {{ $value }} more. Other runs wait in the same way, and the GPUs that they hold would be enough. If the pods of each run work only together, none of the runs makes progress, and their GPUs cost money.`,
    steps: [
      "List the pods of both runs: `kubectl get pods -A -o wide`. Their logs say whether they wait for other pods.",
      "End one of the runs, and start it again when the other has finished.",
      "Start the pods of a run only when all of them have room, with a queue such as Kueue.",
    ],
    lab: "gang-deadlock",
  });

/**
 * Based on the Job's condition, because a Job may retry failed pods. A CronJob keeps its last failed Job even after later
 * runs succeed.
 */
const jobFailed = alertRule({
  name: "GpuJobFailed",
  expr: lines(
    `${maxBy("namespace, job_name", 'kube_job_failed{condition="true"}')} == 1`,
    `and on (namespace, job_name) ${jobsWithGpu}`,
    `unless on (namespace, job_name) (${overtakenJobs})`,
  ),
  for: "1m",
  severity: "ticket",
  summary: "Job {{ $labels.namespace }}/{{ $labels.job_name }}, which used GPUs, has failed",
  description:
    "{{ $labels.namespace }}/{{ $labels.job_name }} has failed and will not retry. The alert remains until the Job is deleted, its pods have been gone for an hour or, for a run of a CronJob, a later run succeeds. It does not fire for a Job that never got a GPU.",
  steps: [
    "Find the reason: `kubectl describe job NAME`. `DeadlineExceeded`, and pods that ended by their own timeout, mean that the Job hung.",
    "Read the logs of its pods: `kubectl logs -l batch.kubernetes.io/job-name=NAME --prefix`, and each pod's termination message.",
    "If pods on several nodes waited for each other, check the network path between the nodes; see GpuNodeUnreachable.",
  ],
  lab: "nccl-block",
});
