import { finding, type Finding, type Found } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { gpuRequest, holdsResources, podKey, requestsGpu } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { joinPresent } from "../../texts";
import { scopeOfPod } from "../../scope";
import { evidenceOf } from "../finding-parts";
import { amountOf, holdersOn } from "../pod/gpu-capacity";

/** The component that a validation pod of the operator checks; undefined for other pods. */
function validatorOf({ metadata }: Pod): "plugin" | "cuda" | undefined {
  const app = metadata.labels["app"];
  return app === "nvidia-device-plugin-validator" ? "plugin" : app === "nvidia-cuda-validator" ? "cuda" : undefined;
}

/**
 * A validation pod that gets no GPU because other pods hold all GPUs of its node. The validator starts it again every few
 * minutes, so a pod that keeps its GPU keeps the ClusterPolicy notReady.
 *
 * @see https://github.com/NVIDIA/gpu-operator/issues/480
 */
export function rejectedValidators(snapshot: ClusterSnapshot): Finding[] {
  const { objects, operatorNamespace } = snapshot;
  return objects.pods
    .filter((pod) => pod.metadata.namespace === operatorNamespace && validatorOf(pod) !== undefined)
    .flatMap((pod) => rejectedValidator(pod, snapshot));
}

function rejectedValidator(pod: Pod, snapshot: ClusterSnapshot): Found {
  const nodes = snapshot.gpuNodes.filter(({ metadata }) => (pod.spec.nodeName ?? metadata.name) === metadata.name);
  const podsOnNodes = nodes.flatMap(({ metadata }) => snapshot.podsOn(metadata.name));
  const holders = podsOnNodes.filter((one) => holdsResources(one) && requestsGpu(one));
  const text = rejectionText(pod);
  if (text === undefined || holders.length === 0) return [];
  const [policy] = snapshot.policies;
  const scope = { ...scopeOfPod(pod, nodes), pods: [pod, ...podsOnNodes.filter(isValidatorDaemon)].map(podKey) };
  return finding("operator-validator-rejected", scope, {
    level: policy?.status.state === "ready" ? "notice" : "problem",
    // A GPU that is free now was not when the pod was rejected, for this reason or another.
    atMost: nodes.some((node) => hasFreeGpu(pod, node, snapshot)) ? "possible" : undefined,
    evidence: [
      evidenceOf(pod, "status.phase, reason, message", text, pod.metadata.creationTimestamp),
      ...holders.slice(0, 3).map((one) => evidenceOf(one, "spec.containers[].resources.limits", amountText(one))),
    ],
    holders: holders.map(podKey),
    validator: validatorOf(pod) ?? "plugin",
    policy: policy?.metadata.name,
  });
}

function hasFreeGpu(pod: Pod, node: Node, snapshot: ClusterSnapshot): boolean {
  return [...gpuRequest(pod.spec)].every(([resource, amount]) => {
    const free = numberOf(node.status.allocatable[resource]) - amountOf(holdersOn(node, resource, snapshot));
    return free >= amount;
  });
}

/** What the kubelet or the scheduler says; undefined if the pod does not lack a GPU. */
function rejectionText({ status }: Pod): string | undefined {
  const { phase, reason, message, conditions } = status;
  if (phase !== "Failed" && phase !== "Pending") return undefined;
  const scheduled = conditionOf(conditions, "PodScheduled");
  const text = joinPresent(phase, reason, message, scheduled?.status === "False" ? scheduled.message : "");
  return text.includes("nvidia.com/") ? text : undefined;
}

function isValidatorDaemon({ metadata }: Pod): boolean {
  return metadata.ownerReferences.some(({ name }) => name === "nvidia-operator-validator");
}

function amountText(pod: Pod): string {
  const request = [...gpuRequest(pod.spec)].map(([name, amount]) => `${amount} of ${name}`).join(", ");
  return `holds ${request} on ${pod.spec.nodeName ?? ""}`;
}
