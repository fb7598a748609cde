import { all, not, some, Reading, type Truth } from "../engine/values";
import { Resource, type Stack } from "../engine/resource";
import { instanceTypeNames, instanceType } from "../../components/nodes/machine/instance-types";
import { gpuGroups, groupTypes, type GpuGroup } from "./gpu-capacity";
import { namedBy, requiresGpu } from "./karpenter";
import { templateTypes } from "./launch-templates";
import { machinesOf, nodePools, nodeTypes, selfManagedGroups } from "./node-sources";
import type { PodTemplate } from "./pods";
import { mayRunOn } from "./scheduling";

/** The types that {@link GpuMachines} reads. */
export const machineSources: readonly string[] = [
  ...[...groupTypes, ...selfManagedGroups, ...nodePools, ...templateTypes],
];

/** The instance types on which GPU pods can run. */
export class GpuMachines {
  private readonly groups: readonly GpuGroup[];
  /** Whether a pool of the program may start any instance type. */
  private readonly isOpen: Truth;

  constructor(stack: Stack) {
    this.groups = gpuGroups(stack, nodeTypes);
    this.isOpen = some(stack.ofType(...nodePools), (pool) => {
      const requirements = pool.list(machinesOf(pool.type).requirements);
      return all(not(requiresGpu(requirements)), namedBy(requirements, ...kinds).named.length === 0);
    });
  }

  /**
   * Whether a condition is true for every instance type on which pods can run: those of the GPU nodes of the program that
   * they select, or without such nodes, those that they select themselves. False if that is every type.
   */
  every(pod: PodTemplate, condition: (type: Reading<string>) => Truth): Truth {
    const own = this.groups.filter((group) => mayRunOn(pod, group) !== false);
    const types = own.length > 0 ? own.flatMap((group) => typesOf(pod, group)) : selected(pod);
    return all(not(this.isOpen), types.length > 0, not(some(types, (type) => not(condition(type)))));
  }
}

const kinds = ["category", "family", "type"].flatMap((kind) =>
  ["karpenter.k8s.aws", "eks.amazonaws.com", "node.kubernetes.io"].map((domain) => `${domain}/instance-${kind}`),
);

/** The instance types of a group that pods may select. A group whose types are not stated may have any. */
function typesOf(pod: PodTemplate, group: GpuGroup): readonly Reading<string>[] {
  if (group.types.length === 0) return [Reading.absent(group.group.path)];
  return group.types.filter((type) => mayRunOn(pod, { ...group, types: [type] }) !== false);
}

/** Nodes outside the program, with any label that the instance type does not rule out. */
const elsewhere = new Resource({ urn: "", type: nodePools[0] ?? "", name: "", properties: {} });
const gpuTypes = instanceTypeNames.filter((name) => instanceType(name)?.gpus !== 0);

function selected(pod: PodTemplate): readonly Reading<string>[] {
  const types = gpuTypes.map((name) => Reading.known("spec", name, name));
  const group = (type: Reading<string>): GpuGroup => ({
    ...{ group: elsewhere, isGpu: true, nodes: Reading.absent("spec"), types: [type], zones: [] },
    gpus: { least: 0, open: [] },
  });
  const left = types.filter((type) => mayRunOn(pod, group(type)) !== false);
  return left.length < types.length ? left : [];
}
