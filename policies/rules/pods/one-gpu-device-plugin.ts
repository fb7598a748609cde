import { all, some } from "../../../components/core/reader/truth";
import { failIf, stackRule } from "../../engine/rule";
import { clusterMarkers } from "../../facts/clusters";
import { inEachCluster } from "../../facts/each-cluster";
import {
  advertisesGpus,
  gpuPluginTypes,
  nodesWithPlugin,
  pathOfPlugin,
  runsOwnPlugin,
} from "../../facts/device-plugins";
import { OperatorValues } from "../../facts/gpu-operator";

/**
 * Advice, because node selectors may keep the two plugins on different nodes.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-k8s-device-plugin.html
 * @see https://github.com/NVIDIA/k8s-device-plugin#deployment-via-helm
 * @see https://github.com/eksctl-io/eksctl/issues/8550
 */
export const oneGpuDevicePlugin = stackRule({
  id: "one-gpu-device-plugin",
  title: "One device plugin advertises the GPUs: the GPU Operator's, or another one with the operator's off.",
  severity: "medium",
  incident:
    "a tool installed a second device plugin by default, on every node and without the tolerations of the first one",
  types: [...gpuPluginTypes, ...clusterMarkers],
  division: inEachCluster,
  *judge(stack) {
    const hasOperator = some(OperatorValues.in(stack), runsOwnPlugin);
    for (const resource of stack.resources) {
      yield failIf(
        all(hasOperator, advertisesGpus(resource, stack)),
        () => ({
          path: pathOfPlugin(resource, stack),
          got: "an NVIDIA device plugin or DRA driver in addition to the GPU Operator's device plugin",
          why: "Both offer the GPUs of the same node, so one GPU can be assigned to two pods.",
          fix: "remove it, or disable the operator's device plugin with devicePlugin.enabled false",
        }),
        resource,
      );
    }
    for (const { nodes, hasPlugin, path, image } of nodesWithPlugin(stack)) {
      yield failIf(
        all(hasOperator, hasPlugin),
        () => ({
          path,
          got: `${image}, which contains NVIDIA's device plugin`,
          why: "The GPU Operator runs its device plugin on these nodes too. Both register nvidia.com/gpu with the kubelet, which can then assign one GPU to two pods.",
          fix: "set devicePlugin.enabled to false in the values of the GPU Operator, or keep its DaemonSets off these nodes",
        }),
        nodes,
      );
    }
  },
});
