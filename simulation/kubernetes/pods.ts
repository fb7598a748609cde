import { isRecord } from "../../components/core/reader/records";
import type { PodNeeds } from "../aws/eks/nodes/nodes";
import { shown } from "../aws/values";
import { valuesAt } from "../world/paths";
import type { World } from "../world/world";
import { residentsOf } from "./residents";
import { kubernetesTypes } from "./types";

const gpu = "nvidia.com/gpu";

/** What a pod asks of its node; undefined when no node can give it, because nothing tells Kubernetes of GPUs. */
export function podNeeds(world: World, clusterName: string, spec: unknown): PodNeeds | undefined {
  if (!isRecord(spec)) return {};
  const limits = valuesAt(spec, "containers[*].resources.limits").filter(isRecord);
  const gpus = limits.reduce((sum, limit) => sum + Number(limit[gpu] ?? 0), 0);
  if (gpus > 0 && !hasDevicePlugin(world, clusterName)) return undefined;
  return { tolerations: spec["tolerations"], nodeSelector: spec["nodeSelector"], gpus };
}

/** A device plugin comes with the GPU Operator, unless its values leave it out, or alone. */
function hasDevicePlugin(world: World, clusterName: string): boolean {
  return residentsOf(world, kubernetesTypes.release, clusterName).some(({ inputs }) => {
    const chart = shown(inputs["chart"]).split("/").at(-1);
    if (chart === "nvidia-device-plugin") return true;
    return chart === "gpu-operator" && valuesAt(inputs, "values.devicePlugin.enabled")[0] !== false;
  });
}
