import { all, some } from "../../../components/core/reader/truth";
import { failIf, stackRule } from "../../engine/rule";
import { gpuPluginTypes, isOtherPlugin, runsOwnPlugin } from "../../facts/device-plugins";
import { operatorTypes } from "../../facts/gpu-operator";
import { daemonSet, podTemplate } from "../../facts/pods";

/**
 * Advice in a lab, as node selectors may keep the two apart.
 * @see https://github.com/NVIDIA/k8s-device-plugin#deployment-via-helm
 * @see https://github.com/eksctl-io/eksctl/issues/8550
 */
export const oneGpuDevicePlugin = stackRule({
  id: "one-gpu-device-plugin",
  title: "GPUs are offered by one device plugin: the GPU Operator's, or another with that switched off.",
  severity: "medium",
  incident: "a tool installed a second device plugin unasked, on every node and without the tolerations of the first",
  types: gpuPluginTypes,
  *judge(stack) {
    const hasOperator = some(stack.ofType(...operatorTypes), runsOwnPlugin);
    for (const resource of stack.resources) {
      yield failIf(
        all(hasOperator, isOtherPlugin(resource)),
        () => ({
          path: resource.type === daemonSet ? podTemplate(resource).spec.at("containers").path : "chart",
          got: "a device plugin of NVIDIA beside the GPU Operator's",
          why: "Both register nvidia.com/gpu with the kubelet of the same node, so one GPU can be given to two pods.",
          fix: "remove it, or switch the operator's off with devicePlugin.enabled false",
        }),
        resource,
      );
    }
  },
});
