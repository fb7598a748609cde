import { openPaths, some, Undetermined, type Truth } from "../../components/core/reader/truth";
import type { Resource, Stack } from "../engine/resource";
import { bound, gpusOfPod, orOpen, podsOn, sum, type Bound, type GpuGroup } from "./gpu-capacity";
import { someOf } from "./lists";
import {
  barePod,
  daemonSet,
  deployment,
  job,
  podTemplate,
  replicaSet,
  replicasOf,
  replicationController,
  rollout,
  statefulSet,
} from "./pods";
import { hostname, mayRunOn } from "./scheduling";

/** The number of pods of a Deployment that fit on the GPU nodes of a stack of maximum size. */
export class GpuCapacity {
  /** Whether its pods are pinned to one node. */
  readonly isPinned: Truth;
  /** Whether the stack has nodes for its pods. */
  readonly hasNodes: Truth;
  private readonly fits: readonly { readonly group: GpuGroup; readonly fit: Truth }[];
  private readonly gpusOfPod: number;

  constructor(
    private readonly deployment: Resource,
    private readonly groups: readonly GpuGroup[],
    private readonly shares: Bound,
    private readonly others: readonly Resource[],
  ) {
    const pod = podTemplate(deployment);
    this.gpusOfPod = Math.max(1, gpusOfPod(pod).least);
    this.isPinned = someOf(pod.spec.entries("nodeSelector"), ([key]) => key === hostname);
    this.fits = groups.map((group) => ({ group, fit: mayRunOn(pod, group) }));
    this.hasNodes = some(this.fits, ({ fit }) => fit);
  }

  /**
   * Whether one more pod than its replicas finds no GPU, with or without the GPUs of Jobs. True if all possible nodes
   * are not enough; false if the certain nodes are.
   */
  isExhausted(withJobs: boolean): Truth {
    return replicasOf(this.deployment).is((replicas) => {
      const most = this.capacity(this.possible);
      if (this.left(most, this.used(this.certain, withJobs)) <= replicas) return orOpen(true, most.open);
      const used = this.used(this.possible, withJobs);
      if (this.left(this.capacity(this.certain), used) > replicas) return orOpen(false, used.open);
      return new Undetermined(this.fits.flatMap(({ fit }) => openPaths(fit)));
    });
  }

  /** Describes the capacity in a message. */
  describe(withJobs: boolean): string {
    const { least } = this.used(this.certain, false);
    const ofJobs = withJobs ? this.used(this.certain, true).least - least : 0;
    return [
      `Its GPU nodes have capacity for at most ${this.capacity(this.possible).least} of these pods`,
      ...(least > 0 ? [`minus ${least} GPU of other workloads`] : []),
      ...(ofJobs > 0 ? [`minus ${ofJobs} GPU of Jobs until they end`] : []),
    ].join(", ");
  }

  private get possible(): GpuGroup[] {
    return this.fits.filter(({ fit }) => fit !== false).map(({ group }) => group);
  }

  private get certain(): GpuGroup[] {
    return this.fits.filter(({ fit }) => fit === true).map(({ group }) => group);
  }

  private capacity(groups: readonly GpuGroup[]): Bound {
    const onOneNode = this.isPinned === true;
    const each = groups.map((group) => podsOn(group, this.gpusOfPod, this.shares, onOneNode));
    const { least, open } = sum(each);
    return { least: onOneNode ? each.reduce((most, one) => Math.max(most, one.least), 0) : least, open };
  }

  private used(groups: readonly GpuGroup[], withJobs: boolean): Bound {
    const { permanent, temporary } = gpusUsedBy(this.isPinned === true ? [] : this.others, this.groups, groups);
    return withJobs ? sum([permanent, temporary]) : permanent;
  }

  private left(capacity: Bound, used: Bound): number {
    return capacity.least - Math.floor(used.least / this.gpusOfPod);
  }
}

/** Types that keep their GPUs. */
const permanent: readonly string[] = [
  ...[barePod, deployment, rollout, statefulSet],
  ...[replicaSet, replicationController, daemonSet],
];

/** The types that {@link gpusUsedBy} reads. */
export const gpuUserTypes: readonly string[] = [...permanent, job];

/** The GPUs of other workloads on the nodes for a workload. */
export interface GpuUsage {
  /** Of workloads that stay. */
  readonly permanent: Bound;
  /** Of Jobs, which end. */
  readonly temporary: Bound;
}

/**
 * The GPUs that other workloads certainly use on some groups. Workloads that can also run elsewhere do not count,
 * except DaemonSets, which have a pod on every node.
 */
export function gpusUsedBy(
  others: readonly Resource[],
  groups: readonly GpuGroup[],
  within: readonly GpuGroup[],
): GpuUsage {
  const used = (types: readonly string[]) =>
    sum(others.filter(({ type }) => types.includes(type)).map((other) => usedByOne(other, groups, within)));
  return { permanent: used(permanent), temporary: used([job]) };
}

/** The workloads of a stack that may use GPUs, except one. */
export function otherWorkloads(workload: Resource, stack: Stack): Resource[] {
  return stack.ofType(...gpuUserTypes).filter((other) => other !== workload);
}

function usedByOne(other: Resource, groups: readonly GpuGroup[], within: readonly GpuGroup[]): Bound {
  const template = podTemplate(other);
  const gpus = gpusOfPod(template);
  if (gpus.least === 0 && gpus.open.length === 0) return none;
  const candidates = groups
    .map((group) => ({ group, may: mayRunOn(template, group) }))
    .filter(({ may }) => may !== false);
  if (other.type === daemonSet)
    return onEveryNode(
      gpus,
      candidates.filter(({ group }) => within.includes(group)),
    );
  const elsewhere = candidates.filter(({ group }) => !within.includes(group));
  if (candidates.length === 0 || elsewhere.some(({ may }) => may === true)) return none;
  const pods = podsOf(other);
  const open = [...gpus.open, ...pods.open, ...candidates.flatMap(({ may }) => openPaths(may))];
  return open.length > 0 ? { least: 0, open } : { least: gpus.least * pods.least, open };
}

const none: Bound = { least: 0, open: [] };

function onEveryNode(gpus: Bound, candidates: readonly { group: GpuGroup; may: Truth }[]): Bound {
  return sum(
    candidates.map(({ group, may }): Bound => {
      const nodes = bound(group.nodes);
      const open = [...gpus.open, ...nodes.open, ...openPaths(may)];
      return { least: may === true && gpus.open.length === 0 ? gpus.least * nodes.least : 0, open };
    }),
  );
}

/** The number of pods that a workload runs at a time. */
function podsOf(workload: Resource): Bound {
  if (workload.type !== job) return bound(replicasOf(workload));
  const isSuspended = workload.boolean("spec.suspend").is((on) => on);
  if (isSuspended !== false) return { least: 0, open: openPaths(isSuspended) };
  return bound(workload.integer("spec.parallelism").or(1));
}
