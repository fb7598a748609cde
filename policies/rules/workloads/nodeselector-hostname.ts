import { all, any, equals, not, type Truth } from "../../engine/values";
import type { Path } from "../../../components/core/reader/paths";
import { failAt, resourceRule, type Check } from "../../engine/rule";
import { requestsGpu, podsIn, podTypes, type PodTemplate } from "../../facts/pods";
import { hostname, requires, selectsBy } from "../../facts/scheduling";

/**
 * `spec.nodeName` also pins a pod. It bypasses the scheduler, which counts the GPUs.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
export const nodeselectorHostname = resourceRule({
  id: "nodeselector-hostname",
  title: "A pod with a GPU is not pinned to one node.",
  severity: "medium",
  incident:
    "a Deployment pinned to one host could not start a new pod, and had no node left when EKS replaced that host",
  types: podTypes,
  *judge(resource) {
    for (const pod of podsIn(resource)) yield* pinsOf(pod);
  },
});

function* pinsOf(pod: PodTemplate): Iterable<Check> {
  const nodeName = pod.spec.text("nodeName");
  const isHostname = (label: string) => label === hostname;
  const pins: [Truth, Path][] = [
    [selectsBy(pod, isHostname), ["nodeSelector", hostname]],
    [requires(pod, (key) => isHostname(key) || key === "metadata.name"), "affinity.nodeAffinity"],
    [not(any(nodeName.isAbsent, equals(nodeName, ""))), "nodeName"],
  ];
  for (const [isPinned, path] of pins) {
    yield failAt(pod.spec.at(path), all(requestsGpu(pod), isPinned), {
      got: "the name of one node",
      why: "A rollout can use only the GPUs of that node. When EKS replaces the node, the pod stays Pending forever.",
      fix: "select the nodes by nvidia.com/gpu.product, or by a label of the node group",
    });
  }
}
