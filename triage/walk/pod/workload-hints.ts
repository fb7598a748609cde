import type { Finding } from "../../finding";
import type { Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { asksForGpu, kubectlName } from "../pods";
import { gpuResource } from "../scene";

/** A pod that tolerates the GPU nodes' taint by name and asks for no GPU: it runs, or waits, without one. */
export function missingLimit(pod: Pod, asked: boolean): Finding[] {
  const tolerates = pod.spec.tolerations.some(({ key }) => key === gpuResource);
  const isDaemon = pod.metadata.ownerReferences.some(({ kind }) => kind === "DaemonSet" || kind === "Node");
  const ended = pod.status.phase === "Succeeded";
  if (!tolerates || isDaemon || ended || asksForGpu(pod)) return [];
  return [
    {
      id: "gpu-limit-missing",
      ...aboutPod(pod),
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
