import { finding, type Finding, type Found } from "../../conclusions";
import { nodeNamed, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import { isPodReady } from "../../snapshot/pods";
import { isNew } from "../../snapshot/time";
import { joinPresent } from "../../texts";
import { nodeEvidence, podEvidence } from "../finding-parts";

const driverImage = /\/(?:driver|nvidia-driver|vgpu-manager)(?::|@|$)/;
/** Systems for which NVIDIA publishes no driver container. On EKS, their GPU images have a driver. */
const withDriver = /\b(?:amzn\d*|al20\d\d|amazon ?linux|bottlerocket)/i;

/**
 * The operator's driver container on an operating system that it does not support, or a version that does not exist.
 *
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/platform-support.html
 */
export function driverImageFaults(pods: readonly Pod[], snapshot: ClusterSnapshot): Finding[] {
  return pods
    .filter((pod) => !isPodReady(pod))
    .flatMap((pod) => pod.spec.containers.map((one) => ({ pod, image: one.image ?? "" })))
    .filter(({ image }) => driverImage.test(image))
    .flatMap(({ pod, image }) => driverImageFault(pod, image, snapshot));
}

function driverImageFault(pod: Pod, image: string, snapshot: ClusterSnapshot): Found {
  const waits = pod.status.containerStatuses.flatMap(({ state }) => state.waiting ?? []);
  const waiting = waits.map(({ reason, message }) => joinPresent(reason, message)).join("; ");
  const node = nodeNamed(snapshot, pod.spec.nodeName);
  const osImage = node?.status.nodeInfo.osImage ?? "";
  const isGone = /(?:Image|Pull).*(?:not found|manifest unknown)/i.test(waiting);
  const hasDriver = withDriver.test(`${image} ${osImage}`);
  const isFault = isGone || (hasDriver && !isNew(pod, snapshot.now));
  if (!isFault) return [];
  return finding("driver-image-missing", pod, {
    atMost: hasDriver && isGone ? undefined : "likely",
    evidence: [
      podEvidence(pod, "spec.containers[].image", image),
      podEvidence(pod, "state.waiting", waiting),
      node && osImage !== "" ? nodeEvidence(node, "status.nodeInfo.osImage", osImage) : undefined,
    ],
    hasDriver,
    policy: snapshot.policies[0]?.metadata.name,
  });
}
