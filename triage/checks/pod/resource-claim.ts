import type { Evidence, Finding } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import { eventEvidence, podEvidence, scopeOfPod, listNames } from "../finding-parts";

/** @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go */
const reasons: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/device ?class/i, "The DeviceClass of the claim does not exist: the DRA driver that defines it is not installed."],
  [/not found|create the resourceclaim/i, "The claim or its template does not exist."],
  [
    /allocate all claims|not available on the node/i,
    "No node has free devices that match the claim, or no DRA driver offers devices (ResourceSlices).",
  ],
  [/prepare/i, "The DRA driver on the node cannot prepare the devices."],
];

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
  if (reason) return { ...resourceClaim(pod, reason.value, said), atMost: "likely" };
  const names = resourceClaims.map((one) => one.resourceClaimName ?? one.resourceClaimTemplateName ?? one.name);
  const evidence = podEvidence(pod, "spec.resourceClaims", names.join(", "), pod.metadata.creationTimestamp);
  const text = `the scheduler does not try a pod whose claim does not exist (${listNames(names)} not found)`;
  return { ...resourceClaim(pod, text, [evidence]), atMost: "likely" };
}

/** A pod that waits for devices of Dynamic Resource Allocation (DRA). */
export function resourceClaim(pod: Pod, message: string, evidence: readonly Evidence[]): Finding {
  const { namespace = "default" } = pod.metadata;
  const what = reasons.find(([pattern]) => pattern.test(message))?.[1] ?? "The claim is not allocated.";
  return {
    id: "resource-claim",
    ...scopeOfPod(pod),
    what: `The pod waits for a ResourceClaim: ${message}. ${what}`,
    evidence,
    next: [
      `Show the claims of the namespace, their requests and their allocation => kubectl -n ${namespace} describe resourceclaims`,
      "Show the devices that DRA drivers offer, and their classes => kubectl get resourceslices,deviceclasses",
    ],
  };
}
