import { patchCommand } from "../../../components/core/text";
import type { Finding, Found } from "../../conclusions";
import type { Step } from "../../known-causes/known-cause";
import { nodeNamed, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Pod } from "../../snapshot/objects/pod";
import { isPodReady } from "../../snapshot/pods";
import { isNew } from "../../snapshot/time";
import { nodeEvidence, podEvidence, scopeOfPod, joinPresent } from "../finding-parts";

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
  return {
    id: "driver-image-missing",
    ...scopeOfPod(pod),
    atMost: hasDriver && isGone ? undefined : "likely",
    what: hasDriver ? notForThisImage : noSuchVersion,
    evidence: [
      podEvidence(pod, "spec.containers[].image", image),
      podEvidence(pod, "state.waiting", waiting),
      ...(node && osImage !== "" ? [nodeEvidence(node, "status.nodeInfo.osImage", osImage)] : []),
    ],
    next: [hasDriver ? switchOff(snapshot) : showImage],
  };
}

const notForThisImage =
  "The operator tries to install a driver on a node whose operating system NVIDIA publishes no driver container for: Amazon Linux and Bottlerocket. The NVIDIA images of EKS include the driver, so driver.enabled must be false there; a plain image needs to be replaced by an NVIDIA image.";
const noSuchVersion =
  "NVIDIA publishes no driver container for this version of the driver and this operating system; the end of the tag names the system.";

function switchOff({ policies }: ClusterSnapshot): Step {
  const policy = policies[0]?.metadata.name ?? "cluster-policy";
  const command = patchCommand(`clusterpolicy/${policy}`, { spec: { driver: { enabled: false } } });
  return `Switch the operator's driver off. Make the same change in the operator's values =!> ${command}`;
}

const showImage =
  "Show the image. Then set driver.version to one that has an image for the system => kubectl get {pod} -o jsonpath='{.spec.containers[*].image}'";
