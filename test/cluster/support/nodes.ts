import { kubernetesEffect, type Taint } from "../../../components/nodes/scheduling/taints";
import { instanceType } from "../../../components/nodes/machine/instance-types";
import { optionalProperty } from "../../../components/core/reader/records";
import { labKeys } from "../../../stacks/run/lab";
import type { RecordedResource, Recording } from "../../../planner/record/record";
import { ofType } from "../../support/plan";
import type { KubernetesObject } from "./client";

interface NodeGroup {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly instanceTypes: readonly string[];
  readonly scalingConfig: { readonly desiredSize: number };
}

/** The nodes that the node groups of a plan start, without their status: GPU groups `gpuNodes`, others what they state. */
export function nodesOf(recording: Recording, gpuNodes: number): KubernetesObject[] {
  return ofType(recording, "aws:eks/nodeGroup:NodeGroup").flatMap((resource, group) => {
    const { scalingConfig, instanceTypes } = resource.inputs as unknown as NodeGroup;
    const hasGpus = (instanceType(instanceTypes[0] ?? "")?.gpus ?? 0) > 0;
    const count = hasGpus ? gpuNodes : scalingConfig.desiredSize;
    const names = Array.from({ length: count }, (_, index) => nameOf(hasGpus ? index : 100 + 10 * group + index));
    return names.map((name) => nodeOf(recording, resource, name));
  });
}

/** The first GPU node has the name that examples of the configuration give. */
function nameOf(index: number): string {
  return labKeys.node.example.replace(/-(\d+)\./, (_, last: string) => `-${Number(last) + index}.`);
}

function nodeOf(
  recording: Recording,
  { inputs, name: group, parent }: RecordedResource,
  name: string,
): KubernetesObject {
  const { labels, taints = [], instanceTypes } = inputs as unknown as NodeGroup;
  const type = instanceType(instanceTypes[0] ?? "");
  if (!type) throw new Error(`${group}: the instance type is not known`);
  const owner = recording.resources.find(({ urn }) => urn === parent);
  const maxPods = (owner?.inputs["maxPods"] as number | undefined) ?? type.maxPods;
  const region = name.split(".")[1] ?? "";
  // The GPU Operator labels its nodes by the hardware that it finds.
  const found = { "nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": labKeys.gpuProduct.example };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        ...labels,
        ...(type.gpus > 0 && found),
        "kubernetes.io/hostname": name,
        "kubernetes.io/arch": type.architecture,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": type.name,
        "topology.kubernetes.io/region": region,
        "topology.kubernetes.io/zone": `${region}a`,
        "eks.amazonaws.com/nodegroup": group,
      },
    },
    spec: {
      taints: taints.map(({ key, value, effect }) => ({
        key,
        effect: kubernetesEffect(effect),
        ...optionalProperty("value", value),
      })),
    },
    status: {
      capacity: {
        cpu: String(type.vcpus),
        memory: `${type.memoryGiB}Gi`,
        pods: String(maxPods),
        "ephemeral-storage": "100Gi",
        ...(type.gpus > 0 && { "nvidia.com/gpu": String(type.gpus) }),
      },
    },
  };
}
