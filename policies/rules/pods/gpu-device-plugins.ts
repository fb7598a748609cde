import type { Resource, Stack } from "../../core/resource";
import { all, any, not, some, type Truth } from "../../core/unknown";
import { installers, installsChart } from "../operator/chart-reference";
import { gpuOperator, operatorTypes, OperatorValues } from "../operator/operator-values";
import { daemonSet, podTemplate } from "../workloads/pod-template";

/** Types by which a stack shows what offers its GPUs. */
export const gpuOfferTypes: readonly string[] = [...operatorTypes, daemonSet];

/** Whether the GPU Operator runs its device plugin, which it does unless told otherwise. */
export function runsOwnPlugin(resource: Resource): Truth {
  const isOff = OperatorValues.of(resource).isOff("devicePlugin.enabled", true);
  if (resource.type === gpuOperator) {
    const argument = resource.boolean("devicePlugin");
    return not(
      any(
        isOff,
        argument.is((on) => !on),
      ),
    );
  }
  return all(installers.includes(resource.type) ? installsChart(resource, "gpu-operator") : true, not(isOff));
}

/** Whether a resource is NVIDIA's device plugin. The operator makes its own by itself, so this is another. */
export function isOtherPlugin(resource: Resource): Truth {
  return runs(resource, /(^|\/)k8s-device-plugin([:@]|$)/, ["nvidia-device-plugin"]);
}

/**
 * Whether something beside the GPU Operator offers the GPUs of nodes: a device plugin, or NVIDIA's driver for Dynamic
 * Resource Allocation, which may be told to leave GPUs alone.
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/dra-intro-install.html
 */
export function offersGpusOtherwise(stack: Stack): Truth {
  return some(stack.ofType(daemonSet, ...installers), (resource) =>
    any(isOtherPlugin(resource), isDraDriver(resource)),
  );
}

function isDraDriver(resource: Resource): Truth {
  const leavesGpus = resource.boolean("values.resources.gpus.enabled").is((on) => !on);
  const image = /(^|\/)(k8s-dra-driver-gpu|dra-driver-nvidia-gpu)([:@]|$)/;
  return all(runs(resource, image, ["nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu"]), not(leavesGpus));
}

function runs(resource: Resource, image: RegExp, charts: readonly string[]): Truth {
  if (resource.type === daemonSet) {
    return podTemplate(resource).someContainer((container) => container.text("image").is((name) => image.test(name)));
  }
  return installers.includes(resource.type) && any(...charts.map((chart) => installsChart(resource, chart)));
}
