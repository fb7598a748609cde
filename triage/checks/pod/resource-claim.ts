import { finding, type Finding } from "../../conclusions";
import type { Doubt, Evidence } from "../../evidence";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import { listNames } from "../../texts";
import { eventEvidence, podEvidence, scopeOfPod } from "../finding-parts";

/**
 * The scheduler does not try a pod whose claim does not exist, and reports nothing or an error.
 *
 * @param said what the scheduler says about the pod
 */
export function missingClaim(pod: Pod, said: readonly Evidence[], { eventsOf }: ClusterSnapshot): Finding | undefined {
  const { resourceClaims = [], schedulingGates } = pod.spec;
  if (resourceClaims.length === 0 || schedulingGates.length > 0) return undefined;
  const failure = eventsOf("Pod", pod.metadata).findLast(({ reason }) => reason === "FailedResourceClaimCreation");
  if (failure) return resourceClaim(pod, failure.message, [eventEvidence(failure)]);
  const [reason] = said;
  if (reason) return resourceClaim(pod, reason.value, said, "likely");
  const names = resourceClaims.map((one) => one.resourceClaimName ?? one.resourceClaimTemplateName ?? one.name);
  const evidence = podEvidence(pod, "spec.resourceClaims", names.join(", "), pod.metadata.creationTimestamp);
  const text = `the scheduler does not try a pod whose claim does not exist (${listNames(names)} not found)`;
  return resourceClaim(pod, text, [evidence], "likely");
}

/** A pod that waits for devices of Dynamic Resource Allocation (DRA). */
export function resourceClaim(pod: Pod, message: string, evidence: readonly Evidence[], atMost?: Doubt): Finding {
  return finding("resource-claim", scopeOfPod(pod), { atMost, evidence, message });
}
