import { finding, nodeNames, type Finding } from "../../conclusions";
import { concernsDriver } from "../../conclusions/pod-causes";
import { confidenceOf, weakest } from "../../confidence";
import type { Doubt, Evidence } from "../../conclusions/entry";
import { draDriverName, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/resources";
import { isOwnedBy, isPodReady } from "../../snapshot/pods";
import { listNames } from "../../texts";
import { eventEvidence, evidenceOf, unreadyEvidence } from "../finding-parts";
import type { Rejection } from "./scheduling";

/**
 * The scheduler does not try a pod whose claim does not exist, and reports nothing or an error.
 *
 * @param said what the scheduler says about the pod
 */
export function missingClaim(pod: Pod, said: readonly Evidence[], snapshot: ClusterSnapshot): Finding | undefined {
  const { resourceClaims = [], schedulingGates } = pod.spec;
  if (resourceClaims.length === 0 || schedulingGates.length > 0) return undefined;
  const failure = snapshot.eventsOf(pod.metadata).findLast(({ reason }) => reason === "FailedResourceClaimCreation");
  if (failure) return resourceClaim({ pod, evidence: [eventEvidence(failure)], snapshot }, failure.message);
  const [reason] = said;
  if (reason) return resourceClaim({ pod, evidence: said, snapshot }, reason.value, "likely");
  const names = resourceClaims.map((one) => one.resourceClaimName ?? one.resourceClaimTemplateName ?? one.name);
  const evidence = evidenceOf(pod, "spec.resourceClaims", names.join(", "), pod.metadata.creationTimestamp);
  const text = `the scheduler does not try to place a pod whose claim does not exist (${listNames(names)} not found)`;
  return resourceClaim({ pod, evidence: [evidence], snapshot }, text, "likely");
}

/** A pod that waits for devices of Dynamic Resource Allocation (DRA). */
export function resourceClaim(
  { pod, evidence, snapshot }: Pick<Rejection, "pod" | "evidence" | "snapshot">,
  message: string,
  atMost?: Doubt,
): Finding {
  const isOfDriver = concernsDriver(message);
  return finding("resource-claim", pod, {
    // A driver that does not run may be why, but does not confirm what the scheduler or the kubelet says.
    atMost: weakest(confidenceOf({ atMost, evidence })),
    evidence: [...evidence, ...(isOfDriver ? driverEvidence(pod, snapshot) : [])],
    couldUse: isOfDriver && pod.spec.nodeName === undefined ? nodeNames(snapshot.draNodes) : undefined,
    message,
  });
}

/** The pods of DRA drivers that are not ready, on the node of a pod; if there is none at all, that it is missing. */
function driverEvidence({ spec: { nodeName } }: Pod, { objects, wasRead }: ClusterSnapshot): readonly Evidence[] {
  const kinds = nodeName === undefined ? ["DaemonSet", "ReplicaSet"] : ["DaemonSet"];
  const drivers = objects.pods
    .filter(({ metadata, spec }) => draDriverName.test(metadata.name) && spec.resourceClaims === undefined)
    .filter((pod) => kinds.some((kind) => isOwnedBy(pod, kind)) && [undefined, pod.spec.nodeName].includes(nodeName));
  if (!wasRead("pods")) return [];
  const place = nodeName === undefined ? "pods" : `node/${nodeName}`;
  if (drivers.length === 0) return [evidenceOf(place, "pods of a DRA driver", "none in the data")];
  return drivers
    .filter((pod) => !isPodReady(pod))
    .slice(0, 3)
    .map(unreadyEvidence);
}
