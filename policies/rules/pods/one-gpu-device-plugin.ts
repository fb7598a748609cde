import { all, any, not, some, type Truth } from "../../engine/values";
import { failAt, on } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import {
  gpuPluginTypes,
  nodesWithPlugin,
  otherPlugins,
  runsOwnPlugin,
  type OtherPlugin,
} from "../../facts/device-plugins";
import { OperatorValues } from "../../facts/gpu-operator";

/**
 * The rule gives advice, because node selectors may keep the two plugins on different nodes.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-k8s-device-plugin.html
 * @see https://github.com/NVIDIA/k8s-device-plugin#deployment-via-helm
 * @see https://github.com/eksctl-io/eksctl/issues/8550
 */
export const oneGpuDevicePlugin = clusterRule({
  id: "one-gpu-device-plugin",
  title: "One device plugin advertises the GPUs: the GPU Operator's, or another one if the operator's is off.",
  severity: "medium",
  incident:
    "a tool installed a second device plugin by default, on every node and without the tolerations of the first one",
  types: [...gpuPluginTypes],
  *judge(stack) {
    const hasOperator = some(OperatorValues.in(stack), runsOwnPlugin);
    const others = otherPlugins(stack);
    for (const plugin of others) {
      const isBeside = all(hasOperator, plugin.advertises);
      const check = failAt({ path: plugin.path }, any(isBeside, isSecond(plugin, others)), {
        got: `an NVIDIA device plugin or DRA driver in addition to ${hasOperator === true ? "the GPU Operator's" : "another"} device plugin`,
        why: "Both offer the GPUs of the same node, so one GPU can be assigned to two pods.",
        fix:
          hasOperator === true
            ? "remove it, or disable the operator's device plugin with devicePlugin.enabled false"
            : "remove one of them, or set a nodeSelector in both",
      });
      yield* on(plugin.resource, [check]);
    }
    const hasOther = some(others, ({ advertises, isConfined }) => all(advertises, not(isConfined)));
    for (const { nodes, hasPlugin, path, image } of nodesWithPlugin(stack)) {
      const check = failAt({ path }, all(any(hasOperator, hasOther), hasPlugin), {
        got: `${image}, which contains NVIDIA's device plugin`,
        why: `${hasOperator === false ? "Another device plugin in the stack also runs" : "The GPU Operator also runs its device plugin"} on these nodes. Both register nvidia.com/gpu with the kubelet, which can then assign one GPU to two pods.`,
        fix:
          hasOperator === false
            ? "remove that plugin, or keep it off these nodes with a node selector or an affinity"
            : "set devicePlugin.enabled to false in the values of the GPU Operator, or keep its DaemonSets off these nodes",
      });
      yield* on(nodes, [check]);
    }
  },
});

/** Whether another plugin comes before this one, unless a chart contains it or both select their nodes. */
function isSecond(plugin: OtherPlugin, others: readonly OtherPlugin[]): Truth {
  const before = others
    .slice(0, others.indexOf(plugin))
    .filter(({ resource }) => resource.urn !== plugin.resource.parent);
  const areApart = (one: OtherPlugin) => all(one.isConfined, plugin.isConfined);
  const isAfter = some(before, (one) => all(one.advertises, not(areApart(one))));
  return all(plugin.advertises, isAfter);
}
