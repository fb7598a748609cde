import { equals, openPaths, some, Undetermined, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { bound, gpusOfPod, mostOf, podsOn, sum, type Bound, type GpuGroup } from "./gpu-capacity";
import { orOpen, someOf } from "./lists";
import { daemonSet, gpuUserTypes, job, podTemplate, replicasOf } from "./pods";
import { hostname, mayRunOn } from "./scheduling";

/** The GPU nodes of a cluster. */
export interface GpuCluster {
  readonly groups: readonly GpuGroup[];
  /** Pods for each GPU. */
  readonly shares: Bound;
}

/** The number of pods of a Deployment that fit on the GPU nodes of a stack of maximum size. */
export class GpuCapacity {
  /** Whether its pods are pinned to one node. */
  readonly isPinned: Truth;
  /** Whether the stack has nodes for its pods. */
  readonly hasNodes: Truth;
  private readonly fits: readonly { readonly group: GpuGroup; readonly fit: Truth }[];
  private readonly gpusOfPod: number;
  private readonly others: readonly Resource[];

  constructor(
    private readonly deployment: Resource,
    private readonly cluster: GpuCluster,
    stack: Stack,
  ) {
    const pod = podTemplate(deployment);
    this.gpusOfPod = Math.max(1, gpusOfPod(pod).least);
    this.isPinned = someOf(pod.spec.entries("nodeSelector"), ([key]) => key === hostname);
    this.fits = cluster.groups.map((group) => ({ group, fit: mayRunOn(pod, group) }));
    this.hasNodes = some(this.fits, ({ fit }) => fit);
    this.others = stack.ofType(...gpuUserTypes).filter((other) => other !== deployment);
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
    const each = groups.map((group) => podsOn(group, this.gpusOfPod, this.cluster.shares, onOneNode));
    const { least, open } = sum(each);
    return { least: onOneNode ? mostOf(each) : least, open };
  }

  /** The GPUs of other workloads on some groups. Jobs end, so they do not always count. */
  private used(groups: readonly GpuGroup[], withJobs: boolean): Bound {
    const others = this.isPinned === true ? [] : this.others;
    const [jobs, permanent] = [others.filter(({ type }) => type === job), others.filter(({ type }) => type !== job)];
    return sum([...permanent, ...(withJobs ? jobs : [])].map((other) => usedByOne(other, this.cluster.groups, groups)));
  }

  private left(capacity: Bound, used: Bound): number {
    return capacity.least - Math.floor(used.least / this.gpusOfPod);
  }
}

/**
 * The GPUs that a workload certainly uses on some groups. Workloads that can also run elsewhere do not count, except
 * DaemonSets, which have a pod on every node.
 */
function usedByOne(other: Resource, groups: readonly GpuGroup[], within: readonly GpuGroup[]): Bound {
  const template = podTemplate(other);
  const gpus = gpusOfPod(template);
  if (gpus.least === 0 && gpus.open.length === 0) return none;
  const candidates = groups
    .map((group) => ({ group, may: mayRunOn(template, group), isWithin: within.includes(group) }))
    .filter(({ may }) => may !== false);
  if (other.type === daemonSet) {
    const there = candidates.filter(({ isWithin }) => isWithin);
    return sum(there.map(({ group, may }) => product(gpus, nodesOf(group, may), openPaths(may))));
  }
  if (candidates.length === 0 || candidates.some(({ may, isWithin }) => may === true && !isWithin)) return none;
  const open = candidates.flatMap(({ may }) => openPaths(may));
  return product(gpus, podsOf(other), open);
}

/** The product of two numbers, if nothing is unknown. */
function product(gpus: Bound, pods: Bound, others: readonly string[]): Bound {
  const open = [...gpus.open, ...pods.open, ...others];
  return { least: open.length > 0 ? 0 : gpus.least * pods.least, open };
}

const none: Bound = { least: 0, open: [] };

/** The nodes of a group on which pods certainly run. */
function nodesOf({ nodes }: GpuGroup, mayRun: Truth): Bound {
  const { least, open } = bound(nodes);
  return { least: mayRun === true ? least : 0, open };
}

/** The number of pods that a workload runs at a time. */
function podsOf(workload: Resource): Bound {
  if (workload.type !== job) return bound(replicasOf(workload));
  const isSuspended = equals(workload.boolean("spec.suspend"), true);
  if (isSuspended !== false) return { least: 0, open: openPaths(isSuspended) };
  return bound(workload.integer("spec.parallelism").or(1));
}
