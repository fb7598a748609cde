import { equals, openPaths, some, Undetermined, type Truth } from "../engine/values";
import { bound, gpusOfPod, mostOf, podsOn, sum, type Bound, type GpuGroup } from "./gpu-capacity";
import { orOpen, someOf } from "./lists";
import { daemonSet, job } from "./pods";
import { hostname, mayRunOn } from "./scheduling";
import type { Workload } from "./workloads";

/** The GPU nodes of a cluster. */
export interface GpuCluster {
  readonly groups: readonly GpuGroup[];
  /** Pods for each GPU. */
  readonly shares: Bound;
}

/** The number of pods of a workload that fit on the GPU nodes of a stack of maximum size. */
export class GpuCapacity {
  /** Whether its pods are pinned to one node. */
  readonly isPinned: Truth;
  /** Whether the stack has nodes for its pods. */
  readonly hasNodes: Truth;
  private readonly fits: readonly { readonly group: GpuGroup; readonly fit: Truth }[];
  private readonly gpusOfPod: number;
  private readonly others: readonly Workload[];

  constructor(
    private readonly workload: Workload,
    private readonly cluster: GpuCluster,
    all: readonly Workload[],
  ) {
    const { pod } = workload;
    this.gpusOfPod = Math.max(1, gpusOfPod(pod).least);
    this.isPinned = someOf(pod.spec.entries("nodeSelector"), ([key]) => key === hostname);
    this.fits = cluster.groups.map((group) => ({ group, fit: mayRunOn(pod, group) }));
    this.hasNodes = some(this.fits, ({ fit }) => fit);
    this.others = all.filter((other) => other !== workload);
  }

  /**
   * Whether one more replica finds no GPU, with or without the GPUs of Jobs. True if all possible nodes are not
   * enough; false if the certain nodes are.
   */
  isExhausted(withJobs: boolean): Truth {
    const { replicas, size } = this.workload;
    return replicas.is((number) => size.is((pods) => this.lacks((number + 1) * pods, withJobs)));
  }

  private lacks(wanted: number, withJobs: boolean): Truth {
    const most = this.capacity(this.possible);
    if (this.left(most, this.used(this.certain, withJobs)) < wanted) return orOpen(true, most.open);
    const used = this.used(this.possible, withJobs);
    if (this.left(this.capacity(this.certain), used) >= wanted) return orOpen(false, used.open);
    return new Undetermined(this.fits.flatMap(({ fit }) => openPaths(fit)));
  }

  /** Describes the capacity in a message. */
  describe(withJobs: boolean): string {
    const { least } = this.used(this.certain, false);
    const ofJobs = withJobs ? this.used(this.certain, true).least - least : 0;
    return [
      `Its GPU nodes have capacity for at most ${this.capacity(this.possible).least} of these pods`,
      ...(least > 0 ? [`minus ${least} GPU for other workloads`] : []),
      ...(ofJobs > 0 ? [`minus ${ofJobs} GPU for Jobs until they end`] : []),
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
    const [jobs, permanent] = [others.filter(isJob), others.filter((other) => !isJob(other))];
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
function usedByOne(other: Workload, groups: readonly GpuGroup[], within: readonly GpuGroup[]): Bound {
  const gpus = gpusOfPod(other.pod);
  if (gpus.least === 0 && gpus.open.length === 0) return none;
  const candidates = groups
    .map((group) => ({ group, may: mayRunOn(other.pod, group), isWithin: within.includes(group) }))
    .filter(({ may }) => may !== false);
  if (other.resource.type === daemonSet) {
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

function isJob({ resource }: Workload): boolean {
  return resource.type === job;
}

/** The number of pods that a workload runs at a time. */
function podsOf(workload: Workload): Bound {
  const isSuspended = isJob(workload) && equals(workload.resource.boolean("spec.suspend"), true);
  if (isSuspended !== false) return { least: 0, open: openPaths(isSuspended) };
  return product(bound(workload.replicas), bound(workload.size), []);
}
