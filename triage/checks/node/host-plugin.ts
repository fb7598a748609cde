import type { Found } from "../../conclusions";
import type { Step } from "../../known-causes/known-cause";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { advertisesGpus, gpuResource, hasHostPlugin, hostPluginOf } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { isNew } from "../../snapshot/time";
import { allocatableEvidence, nodeEvidence, replaceNode, scopeOfNode } from "../finding-parts";

const service = "nvidia-k8s-device-plugin";

/** A node that runs the device plugin as a service of the host and advertises no GPUs. No DaemonSet can be at fault. */
export function hostPluginSilent(node: Node, { gpuNodes, now }: ClusterSnapshot): Found {
  const host = hostPluginOf(node);
  if (host === undefined || advertisesGpus(node) || isNew(node, now)) return [];
  const { osImage = "not read" } = node.status.nodeInfo;
  const alike = gpuNodes.filter((one) => hostPluginOf(one) === host && advertisesGpus(one));
  const others = alike.length === 0 ? "" : " Other nodes of this kind advertise theirs.";
  return {
    id: "host-plugin-without-gpus",
    ...scopeOfNode(node),
    atMost: hasHostPlugin(node) ? "likely" : undefined,
    what: hasHostPlugin(node)
      ? `The node advertises no GPUs. ${host} runs the driver and the device plugin as a service of the host (${service}); there is no DaemonSet, and the GPU Operator is not needed. The service has not registered with the kubelet.${others}`
      : `The image of the node (${osImage}) is a variant of Bottlerocket without NVIDIA's driver and device plugin. Use a variant whose name ends with -nvidia.`,
    evidence: [
      allocatableEvidence(node),
      nodeEvidence(node, "status.nodeInfo.osImage", osImage),
      ...alike
        .slice(0, 2)
        .map((one) =>
          nodeEvidence(one, `status.allocatable[${gpuResource}]`, one.status.allocatable[gpuResource] ?? ""),
        ),
    ],
    next: hasHostPlugin(node) ? [showService, ...replaceNode(node)] : [showVariants],
  };
}

const showService: Step = `Show the service and its log => {shell}sudo systemctl status ${service}; sudo journalctl -u ${service} -n 60`;
const showVariants =
  "Show the images of the nodes. Change the AMI type of the group, e.g. to BOTTLEROCKET_x86_64_NVIDIA => kubectl get nodes -o wide -L eks.amazonaws.com/nodegroup";
