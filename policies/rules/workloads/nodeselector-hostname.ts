import type { Path } from "../../../components/core/reader/reader";
import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import { failIf, resourceRule } from "../../engine/rule";
import { asksForGpu, demands, podKinds, podTemplate, selectsBy } from "../../facts/pods";
import { hostname } from "../../facts/scheduling";

/**
 * A name in `spec.nodeName` is a pin too, and goes past the scheduler, which alone counts GPUs.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
export const nodeselectorHostname = resourceRule({
  id: "nodeselector-hostname",
  title: "A pod with a GPU is not pinned to one node.",
  severity: "medium",
  incident:
    "a Deployment pinned to one host had nowhere to start its new pod, and nowhere to go when EKS replaced the node",
  types: podKinds,
  *judge(resource) {
    const pod = podTemplate(resource);
    const isHostname = (label: string) => label === hostname;
    const pins: [Truth, Path][] = [
      [selectsBy(pod, isHostname), ["nodeSelector", hostname]],
      [demands(pod, isHostname), "affinity.nodeAffinity"],
      [
        not(
          any(
            pod.spec.text("nodeName").isAbsent,
            pod.spec.text("nodeName").is((name) => name === ""),
          ),
        ),
        "nodeName",
      ],
    ];
    for (const [isPinned, path] of pins) {
      yield failIf(all(asksForGpu(pod), isPinned), () => ({
        path: pod.spec.at(path).path,
        got: "the name of one node",
        why: "A rollout has only the GPUs of that node, and when EKS replaces the node the pod stays Pending for good.",
        fix: "select the nodes by nvidia.com/gpu.product, or by a label of the node group",
      }));
    }
  },
});
