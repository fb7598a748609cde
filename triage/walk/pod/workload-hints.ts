import type { Finding } from "../../finding";
import type { Pod } from "../../objects/pod";
import type { Job } from "../../objects/workloads";
import { asksForGpu, gpuRequest, kubectlName, podName } from "../pods";
import { conditionOf, gpuResource, type Scene } from "../scene";

/** A pod that tolerates the GPU nodes' taint by name and asks for no GPU: it runs, or waits, without one. */
export function missingLimit(pod: Pod, asked: boolean): Finding[] {
  const tolerates = pod.spec.tolerations.some(({ key }) => key === gpuResource);
  const isDaemon = pod.metadata.ownerReferences.some(({ kind }) => kind === "DaemonSet" || kind === "Node");
  const ended = pod.status.phase === "Succeeded";
  if (!tolerates || isDaemon || ended || asksForGpu(pod)) return [];
  return [
    {
      id: "gpu-limit-missing",
      subject: podName(pod),
      level: asked ? "problem" : "notice",
      sure: "possible",
      what: "The pod tolerates the taint of the GPU nodes and asks for no GPU, so it gets none, and no message of the scheduler will say so.",
      evidence: [
        { object: kubectlName("pod", pod.metadata), field: `spec.tolerations`, value: gpuResource },
        {
          object: kubectlName("pod", pod.metadata),
          field: `spec.containers[].resources.limits[${gpuResource}]`,
          value: "missing",
        },
      ],
      next: [
        {
          why: `If it is to use a GPU, add to its container: resources: {limits: {${gpuResource}: 1}}. What it asks for now`,
          command: `kubectl get ${kubectlName("pod", pod.metadata)} -o jsonpath='{.spec.containers[*].resources}'`,
        },
      ],
    },
  ];
}

/** A GPU Job of several pods that ran into its deadline although its nodes are well: its pods did not reach each other. */
export function jobOutOfTime(job: Job, scene: Scene): Finding[] {
  const failed = conditionOf(job.status.conditions, "Failed");
  const several = (job.spec.parallelism ?? 1) > 1;
  if (failed?.status !== "True" || failed.reason !== "DeadlineExceeded") return [];
  if (!several || gpuRequest(job.spec.template.spec).size === 0) return [];
  const unwell = scene.gpuNodes.filter(({ status }) => conditionOf(status.conditions, "Ready")?.status !== "True");
  if (unwell.length > 0 || scene.gpuNodes.length < 2) return [];
  const { name, namespace = "default" } = job.metadata;
  return [
    {
      id: "job-out-of-time",
      subject: `job ${namespace}/${name}`,
      level: "problem",
      sure: "possible",
      what: `Job ${name} ran into its deadline on ${job.spec.parallelism} pods while every GPU node is Ready. A collective that hangs often means that the pods cannot reach each other's ports: nodes, API and DNS do not need those.`,
      evidence: [
        {
          object: kubectlName("job", job.metadata),
          field: "condition Failed",
          value: `${failed.reason}: ${failed.message ?? ""}, activeDeadlineSeconds ${job.spec.activeDeadlineSeconds ?? "none"}`,
          ...(failed.lastTransitionTime !== undefined && { at: failed.lastTransitionTime }),
        },
      ],
      next: [
        { why: "Where it stopped", command: `kubectl -n ${namespace} logs job/${name} --all-pods --tail=30` },
        { why: "In a lab: whether the nodes' own ports are closed", command: "pulumi config get --path nccl" },
        {
          why: "Which rules let the nodes reach each other",
          command:
            "aws ec2 describe-security-group-rules --filters Name=group-id,Values=$(pulumi stack output auxiliaryNodeSgId)",
        },
      ],
    },
  ];
}
