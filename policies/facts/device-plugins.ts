import { all, any, equals, not, some, type Reader, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { advertisingCharts, chartNamed, draCharts, installers } from "./charts";
import { awsCluster, eksCluster, usesAutoMode } from "./clusters";
import { gpuOperator, operatorTypes, type OperatorValues } from "./gpu-operator";
import { templateTypes } from "./launch-templates";
import { isGpuGroup, nodeGroupsIn } from "./node-groups";
import { managedGroups, nodePools, pulumiGroups } from "./node-sources";
import { daemonSet, podTemplate } from "./pods";

/** The groups that name the image of their nodes. */
const imageGroups: readonly string[] = [...managedGroups, ...pulumiGroups];

/** The types that show which device plugins a stack installs. */
export const gpuPluginTypes: readonly string[] = [
  ...[...operatorTypes, daemonSet, ...imageGroups, ...templateTypes],
  ...nodePools,
];

/** The types that show what advertises GPUs: what the stack installs, or what the nodes contain. */
export const gpuAdvertiserTypes: readonly string[] = [...new Set([...gpuPluginTypes, awsCluster, eksCluster])];

/** Whether the GPU Operator runs its device plugin. It does by default. */
export function runsOwnPlugin(operator: OperatorValues): Truth {
  const { resource, isOperator } = operator;
  const isSwitchedOff = resource.type === gpuOperator && equals(resource.boolean("devicePlugin"), false);
  return all(isOperator, not(any(operator.isOff("devicePlugin.enabled", true), isSwitchedOff)));
}

/** The values that switch a chart off. @see https://github.com/Project-HAMi/HAMi/blob/v2.7.0/charts/hami/values.yaml */
const switches: Readonly<Record<string, string>> = {
  ...Object.fromEntries(draCharts.map((name) => [name, "resources.gpus.enabled"])),
  hami: "devicePlugin.enabled",
};

const images = /(^|\/)(k8s-device-plugin|projecthami\/hami|k8s-dra-driver-gpu|dra-driver-nvidia-gpu)([:@]|$)/;

/** What advertises GPUs without the operator: a DaemonSet or a chart of a device plugin, or of NVIDIA's DRA driver. */
export interface OtherPlugin {
  readonly resource: Resource;
  readonly advertises: Truth;
  /** Whether a node selector or an affinity of its own keeps it on some of the GPU nodes. */
  readonly isConfined: Truth;
  /** The path of what makes the resource a plugin. */
  readonly path: string;
}

/** The resources that advertise GPUs without the operator, or may do so. */
export function otherPlugins(stack: Stack): OtherPlugin[] {
  const plugins = stack
    .ofType(daemonSet, ...installers)
    .flatMap((one) => (one.type === daemonSet ? pluginOfPods(one) : pluginOfCharts(one, stack)));
  return plugins.filter(({ advertises }) => advertises !== false);
}

function pluginOfPods(resource: Resource): OtherPlugin {
  const pod = podTemplate(resource);
  const advertises = pod.someContainer((container) => container.text("image").is((name) => images.test(name)));
  return { resource, advertises, isConfined: selectsNodes(pod.spec), path: pod.spec.at("containers").path };
}

function pluginOfCharts(resource: Resource, stack: Stack): OtherPlugin[] {
  const charts = advertisingCharts
    .map((name) => ({ name, ...chartNamed(resource, name, stack) }))
    .filter(({ isNamed }) => isNamed !== false);
  const [first] = charts;
  if (!first) return [];
  const isOff = some(charts, ({ name, values }) => {
    const path = switches[name];
    return path !== undefined && equals(values.boolean(path), false);
  });
  const advertises = all(
    some(charts, ({ isNamed }) => isNamed),
    not(isOff),
  );
  const isConfined = first.name === "hami" || some(charts, ({ values }) => selectsNodes(values));
  return [{ resource, advertises, isConfined, path: first.reference.path }];
}

function selectsNodes(spec: Reader): Truth {
  return some(["nodeSelector", "affinity"], (key) => not(spec.entries(key).isAbsent));
}

/**
 * Whether something other than the GPU Operator advertises the GPUs of nodes: a device plugin in the stack or in the
 * image of the nodes, or NVIDIA's driver for Dynamic Resource Allocation unless its GPU support is off.
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/dra-intro-install.html
 */
export function hasOtherAdvertiser(stack: Stack): Truth {
  return any(
    some(otherPlugins(stack), ({ advertises }) => advertises),
    nodesHavePlugin(stack),
  );
}

/**
 * Whether the nodes contain the device plugin: those of EKS Auto Mode and of Bottlerocket's NVIDIA image do. GPU nodes
 * with another image still need one.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-k8s-device-plugin.html
 */
function nodesHavePlugin(stack: Stack): Truth {
  const groups = nodeGroupsIn(stack, managedGroups);
  const isAutoMode = some(stack.ofType(awsCluster, eksCluster), usesAutoMode);
  const needsPlugin = some(groups, (group) => all(isGpuGroup(group, stack), not(isBottlerocket(group))));
  const isBuiltIn = some(groups, (group) => all(isGpuGroup(group, stack), isBottlerocket(group)));
  return all(any(isAutoMode, isBuiltIn), not(needsPlugin));
}

/**
 * Whether a group has Bottlerocket's image for NVIDIA, which contains the device plugin. Groups of @pulumi/eks can name the
 * operating system instead.
 * @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/#operatingsystem
 */
function isBottlerocket(group: Resource): Truth {
  const amiType = group.text("amiType");
  return any(
    amiType.is((type) => /^BOTTLEROCKET_.*NVIDIA/.test(type)),
    all(amiType.isAbsent, equals(group.text("operatingSystem"), "Bottlerocket"), equals(group.boolean("gpu"), true)),
  );
}

/** The GPU nodes whose image contains the device plugin, or may contain it: of Bottlerocket, or of EKS Auto Mode. */
export function nodesWithPlugin(stack: Stack) {
  const groups = nodeGroupsIn(stack, imageGroups).map((nodes) => ({
    nodes,
    hasPlugin: all(isBottlerocket(nodes), isGpuGroup(nodes, stack)),
    path: nodes.at(nodes.text("amiType").isAbsent === true ? "operatingSystem" : "amiType").path,
    image: "an AMI of Bottlerocket",
  }));
  const pools = stack.ofType(...nodePools).map((nodes) => {
    const group = nodes.text("spec.template.spec.nodeClassRef.group");
    const isAuto = equals(group, "eks.amazonaws.com");
    return { nodes, hasPlugin: all(isAuto, isGpuGroup(nodes)), path: group.path, image: "the image of EKS Auto Mode" };
  });
  return [...groups, ...pools].filter(({ hasPlugin }) => hasPlugin !== false);
}
