import { openPaths, Reader, type Reading } from "../engine/values";
import { instanceType } from "../../components/nodes/machine/instance-types";
import type { Resource, Stack } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { chartNamed, chartSources, installers } from "./charts";
import { gpuOperator } from "./gpu-operator";
import { launchTemplate } from "./launch-templates";
import { subnet } from "./network";
import { groupsOf, isGpuGroup, machineTypes, type MaybeGpuGroup } from "./node-groups";
import { sizeOf } from "./node-counts";
import { managedGroups } from "./node-sources";
import { gpuEntries, quantity, type Entry, type PodTemplate } from "./pods";
import { openIn } from "./lists";

/** The types that {@link gpuGroups} reads. The children of `GpuNodeGroup` are among the node groups. */
export const groupTypes: readonly string[] = [...managedGroups, launchTemplate, subnet];

/** A number with a part that may be unknown. */
export interface Bound {
  readonly least: number;
  /** Paths of unknown values that may add to it. */
  readonly open: readonly string[];
}

export function sum(bounds: readonly Bound[]): Bound {
  const open = new Set(bounds.flatMap((bound) => bound.open));
  return { least: bounds.reduce((total, { least }) => total + least, 0), open: [...open] };
}

/** The bound of a number: its value, or its path if it is unknown. A malformed number counts as 0. */
export function bound(reading: Reading<number>): Bound {
  return { least: Math.max(0, reading.value ?? 0), open: openPaths(reading.isAbsent) };
}

/** A node group that has GPUs, or may have. */
export interface GpuGroup extends MaybeGpuGroup {
  readonly nodes: Reading<number>;
  /** The instance types that it may start. */
  readonly types: readonly Reading<string>[];
  /** The zones of its nodes; empty if the stack does not contain them. */
  readonly zones: readonly Reading<string>[];
  /** GPUs of one node. */
  readonly gpus: Bound;
}

/** The groups that have GPUs, or may have. */
export function gpuGroups(stack: Stack, types = managedGroups): GpuGroup[] {
  const groups = groupsOf(stack, types).map((group): GpuGroup => {
    const types = machineTypes(group, stack);
    const [isGpu, nodes] = [isGpuGroup(group, stack), sizeOf(group, "max")];
    return { group, isGpu, nodes, types, zones: zonesOf(group, stack), gpus: gpusPerNode(types, group) };
  });
  return groups.filter(({ group, isGpu }) => !group.isEmpty && isGpu !== false);
}

/** Empty unless every subnet of the group is in the stack. */
function zonesOf(group: Resource, stack: Stack): Reading<string>[] {
  const subnets = stack.behind(group, "subnetIds", subnet);
  const isWhole = group.list("subnetIds").value?.length === subnets.length;
  return isWhole ? subnets.map((one) => one.text("availabilityZone")) : [];
}

/**
 * The most GPUs of any type, because EKS may start each. Unknown for a type that is not in the table, or without types.
 */
function gpusPerNode(types: readonly Reading<string>[], group: Resource): Bound {
  const machines = types.map(({ value = "", path }) => ({ path, gpus: instanceType(value)?.gpus }));
  const least = machines.reduce((most, { gpus = 0 }) => Math.max(most, gpus), 0);
  const open = machines.flatMap(({ path, gpus }) => (gpus === undefined ? path : []));
  return { least, open: types.length === 0 ? [group.at("instanceTypes").path] : open };
}

/** The GPUs, whole or time-sliced, that one pod needs: the sum of its containers, or those of an init container. */
export function gpusOfPod(pod: PodTemplate): Bound {
  const ofList = (list: PodTemplate["containers"]) => [unknownPart(list), ...(list.value ?? []).map(gpusOf)];
  const starting = ofList(pod.initContainers);
  const running = sum([...ofList(pod.containers), ...pod.others.map(gpusOf)]);
  const least = Math.max(running.least, mostOf(starting));
  return { least, open: [...running.open, ...sum(starting).open] };
}

function gpusOf(container: Reader): Bound {
  const limits = gpuEntries(container, "limits");
  const shared = (limits.value ?? []).filter(([name]) => !name.startsWith("nvidia.com/mig-"));
  return sum([unknownPart(limits), ...shared.map(([, amount]) => bound(quantity(amount)))]);
}

function unknownPart(list: Reading<unknown>): Bound {
  return { least: 0, open: openPaths(openIn(list)) };
}

export function mostOf(bounds: readonly Bound[]): number {
  return bounds.reduce((most, { least }) => Math.max(most, least), 0);
}

/** The number of pods that fit on a group of maximum size, or on one of its nodes. */
export function podsOn({ nodes, gpus }: GpuGroup, gpusOfPod: number, shares: Bound, onOneNode: boolean): Bound {
  const perNode = Math.floor((gpus.least * shares.least) / Math.max(1, gpusOfPod));
  const count = onOneNode ? { least: 1, open: [] } : bound(nodes);
  const malformed = !onOneNode && nodes.is(() => true) === false ? [nodes.path] : [];
  return { least: perNode * count.least, open: [...gpus.open, ...shares.open, ...count.open, ...malformed] };
}

const configMap = "kubernetes:core/v1:ConfigMap";

/** The path of the configuration files of NVIDIA's device plugin, by chart. */
const filesOf: Readonly<Record<string, string>> = {
  "nvidia-device-plugin": "config.map",
  "gpu-operator": "devicePlugin.config.data",
};

/** The types that {@link sharesOf} reads. */
export const sharingTypes: readonly string[] = [gpuOperator, configMap, ...installers, ...chartSources];

/**
 * Pods per GPU: the configured number, or the largest in the component, in the values of a chart or in a ConfigMap. A
 * label of the node selects the file, so the largest number counts.
 * @see https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus
 */
export function sharesOf(stack: Stack, configured: number): Bound {
  const sources = [
    ...stack
      .ofType(gpuOperator)
      .flatMap((one) => ["timeSlicing.replicas", "mps.replicas"].map((path) => bound(one.integer(path)))),
    ...stack.ofType(...installers).flatMap((one) => Object.keys(filesOf).map((name) => ofChart(one, name, stack))),
    // Most ConfigMaps have another purpose, so unknown values in them do not count.
    ...stack.ofType(configMap).map((one) => ({ ...ofFiles(one.entries("data")), open: [] })),
  ];
  return { least: Math.max(configured, mostOf(sources)), open: sum(sources).open };
}

function ofChart(installer: Resource, name: string, stack: Stack): Bound {
  const { isNamed, values } = chartNamed(installer, name, stack);
  return isNamed === true ? ofFiles(values.entries(filesOf[name])) : { least: 0, open: [] };
}

function ofFiles(files: Reading<readonly Entry[]>): Bound {
  const texts = (files.value ?? []).map(([, file]) => file.text());
  const open = [files, ...texts].flatMap((reading) => openPaths(openIn(reading)));
  return { least: texts.reduce((most, { value }) => Math.max(most, replicasIn(value ?? "")), 0), open };
}

/** The most pods per GPU in a configuration file of the device plugin; 0 for any other text. */
function replicasIn(file: string): number {
  if (!/timeSlicing|mps/.test(file)) return 0;
  const sharing = new Reader(yamlDocuments(file)?.[0]).at("sharing");
  const resources = ["timeSlicing", "mps"].flatMap((way) => sharing.list(`${way}.resources`).value ?? []);
  return resources.slice(0, 100).reduce((most, one) => Math.max(most, one.integer("replicas").value ?? 0), 0);
}
