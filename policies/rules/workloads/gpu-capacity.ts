import { instanceType } from "../../../components/nodes/machine/instance-types";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource, Stack } from "../../engine/resource";
import { openPaths, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { launchTemplate } from "../machines/launch-template";
import { groupsOf, isGpuGroup, machineTypes, managedNodeGroup, nodeGroup } from "../nodes/gpu-group";
import { subnet } from "../nodes/zones";
import { gpuEntries, quantity } from "./gpu-request";
import type { PodTemplate } from "./pod-template";

/** What {@link gpuGroups} reads. What `GpuNodeGroup` makes is among the node groups. */
export const groupTypes: readonly string[] = [nodeGroup, managedNodeGroup, launchTemplate, subnet];

/** A number of which a part may be unknown. */
export interface Bound {
  readonly least: number;
  /** Paths of what may add to it. */
  readonly open: readonly string[];
}

export function sum(bounds: readonly Bound[]): Bound {
  const open = new Set(bounds.flatMap((bound) => bound.open));
  return { least: bounds.reduce((total, { least }) => total + least, 0), open: [...open] };
}

/** A known number as it is; of an unknown one only its path. What is no number adds nothing. */
export function bound(reading: Reading<number>): Bound {
  return { least: Math.max(0, reading.value ?? 0), open: openPaths(reading.isAbsent) };
}

/** A group of nodes that has GPUs, or may have. */
export interface GpuGroup {
  readonly group: Resource;
  readonly isGpu: Truth;
  readonly nodes: Reading<number>;
  /** The instance types that it may start. */
  readonly types: readonly Reading<string>[];
  /** Where its nodes may stand; empty where the stack does not tell. */
  readonly zones: readonly Reading<string>[];
  /** GPUs of one node. */
  readonly gpus: Bound;
}

export function gpuGroups(stack: Stack): GpuGroup[] {
  const groups = groupsOf(stack, [nodeGroup, managedNodeGroup]).filter((group) => !group.isEmpty);
  return groups
    .map((group): GpuGroup => {
      const types = machineTypes(group, stack);
      const nodes = group.integer("scalingConfig.maxSize");
      const zones = zonesOf(group, stack);
      return { group, isGpu: isGpuGroup(group, stack), nodes, types, zones, gpus: gpusPerNode(types, group) };
    })
    .filter(({ isGpu }) => isGpu !== false);
}

/** Nothing unless the stack makes every subnet of the group. */
function zonesOf(group: Resource, stack: Stack): Reading<string>[] {
  const subnets = stack.behind(group, "subnetIds", subnet);
  const isWhole = group.list("subnetIds").value?.length === subnets.length;
  return isWhole ? subnets.map((one) => one.text("availabilityZone")) : [];
}

/** Of several types the largest: EKS may start any. A type that the table lacks is open, as is none at all. */
function gpusPerNode(types: readonly Reading<string>[], group: Resource): Bound {
  const numbers = types.map((type) => (type.value === undefined ? undefined : instanceType(type.value)?.gpus));
  const known = numbers.filter((number) => number !== undefined);
  const open = types.filter((_, index) => numbers[index] === undefined).map(({ path }) => path);
  const least = known.reduce((most, number) => Math.max(most, number), 0);
  return { least, open: types.length === 0 ? [group.at("instanceTypes").path] : open };
}

/** The GPUs, whole or shared in time, that one pod needs: those of its containers, or of one that starts before. */
export function gpusOfPod(pod: PodTemplate): Bound {
  const ofList = (list: PodTemplate["containers"]): Bound[] => {
    const open = openPaths(list.is(() => false));
    const each = (list.value ?? []).map((container): Bound => {
      const limits = gpuEntries(container, "limits");
      const shared = (limits.value ?? []).filter(([name]) => !name.startsWith("nvidia.com/mig-"));
      return sum([
        { least: 0, open: openPaths(limits.is(() => false)) },
        ...shared.map(([, amount]) => bound(quantity(amount))),
      ]);
    });
    return [{ least: 0, open }, ...each];
  };
  const starting = ofList(pod.initContainers);
  const running = sum(ofList(pod.containers));
  const least = starting.reduce((most, one) => Math.max(most, one.least), running.least);
  return { least, open: [...running.open, ...sum(starting).open] };
}

/** Pods of a number of GPUs that fit on a group at its largest, or on one node of it. */
export function podsOn({ nodes, gpus }: GpuGroup, gpusOfPod: number, shares: Bound, onOneNode: boolean): Bound {
  const perNode = Math.floor((gpus.least * shares.least) / Math.max(1, gpusOfPod));
  const count = onOneNode ? { least: 1, open: [] } : bound(nodes);
  const isWrong = !onOneNode && nodes.is(() => true) === false ? [nodes.path] : [];
  return { least: perNode * count.least, open: [...gpus.open, ...shares.open, ...count.open, ...isWrong] };
}

/** An answer that holds unless something is open. */
export function orOpen(answer: boolean, open: readonly string[]): Truth {
  return open.length === 0 ? answer : new Undetermined([...new Set(open)]);
}
