import { instanceType } from "../../../components/nodes/machine/instance-types";
import { compare, type Reading } from "../../core/reading";
import type { Resource, Stack } from "../../core/resource";
import { all, any, not, openPaths, some, type Truth } from "../../core/unknown";
import { launchTemplate } from "../machines/launch-template";
import { isGpuGroup, isGpuType, managedNodeGroup, nodeGroup } from "../nodes/gpu-group";
import { someOf } from "./each";
import { gpuEntries, quantity } from "./gpu-request";
import type { PodTemplate } from "./pod-template";

export const hostname = "kubernetes.io/hostname";

/** What {@link gpuGroups} reads. What `GpuNodeGroup` makes is among the node groups. */
export const groupTypes: readonly string[] = [nodeGroup, managedNodeGroup, launchTemplate];

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
  /** GPUs of one node. */
  readonly gpus: Bound;
}

export function gpuGroups(stack: Stack): GpuGroup[] {
  const groups = stack.ofType(nodeGroup, managedNodeGroup).filter((group) => !group.isEmpty);
  return groups
    .map((group) => {
      const types = machinesOf(group, stack);
      const isGpu = any(
        isGpuGroup(group),
        some(types, (type) => type.is(isGpuType)),
      );
      return { group, isGpu, nodes: group.integer("scalingConfig.maxSize"), gpus: gpusPerNode(types, group) };
    })
    .filter(({ isGpu }) => isGpu !== false);
}

/** The instance types of a group: its own, or that of its launch template. */
function machinesOf(group: Resource, stack: Stack): Reading<string>[] {
  const own = group.list("instanceTypes");
  if (own.isAbsent !== true) return (own.value ?? []).map((type) => type.text());
  return stack.behind(group, "launchTemplate", launchTemplate).map((template) => template.text("instanceType"));
}

/** Of several types the largest: EKS may start any. A type that the table lacks is open, as is none at all. */
function gpusPerNode(types: readonly Reading<string>[], group: Resource): Bound {
  const numbers = types.map((type) => (type.value === undefined ? undefined : instanceType(type.value)?.gpus));
  const known = numbers.filter((number) => number !== undefined);
  const open = types.filter((_, index) => numbers[index] === undefined).map(({ path }) => path);
  const least = known.reduce((most, number) => Math.max(most, number), 0);
  return { least, open: types.length === 0 ? [group.at("instanceTypes").path] : open };
}

/** Domains of labels that a node gets from elsewhere than its group: kubelet, AWS, GPU feature discovery. */
const foreignDomain = /(^|\.)(kubernetes\.io|k8s\.io|nvidia\.com|amazonaws\.com|karpenter\.sh)$/;

/** Whether the pods may run on nodes of a group, by their node selector. */
export function mayRunOn(pod: PodTemplate, { group, isGpu }: GpuGroup): Truth {
  const misfit = someOf(pod.spec.entries("nodeSelector"), ([key, wanted]) => {
    if (key === hostname) return false;
    const label = group.text(["labels", key]);
    const isForeign = foreignDomain.test(key.split("/")[0] ?? "") && key.includes("/");
    return any(
      all(!isForeign, label.isAbsent),
      compare(wanted.text(), label, (a, b) => a !== b),
    );
  });
  return all(isGpu, not(misfit));
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
