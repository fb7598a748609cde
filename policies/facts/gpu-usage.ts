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
  statefulSet,
} from "./pods";
import { hostname, mayRunOn } from "./scheduling";

/** How many pods of a Deployment the GPU nodes of a stack can carry at their largest. */
export class Room {
  /** Whether its pods are bound to one node. */
  readonly isPinned: Truth;
  /** Whether there are nodes that take its pods. */
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
   * Whether one pod more than its replicas finds no GPU, with or without what Jobs hold. It is so if all nodes that may
   * take the pods are too few, and not so if those that do for certain are enough.
   */
  isShort(withJobs: boolean): Truth {
    return replicasOf(this.deployment).is((replicas) => {
      const most = this.capacity(this.possible);
      if (this.left(most, this.held(this.certain, withJobs)) <= replicas) return orOpen(true, most.open);
      const held = this.held(this.possible, withJobs);
      if (this.left(this.capacity(this.certain), held) > replicas) return orOpen(false, held.open);
      return new Undetermined(this.fits.flatMap(({ fit }) => openPaths(fit)));
    });
  }

  /** For messages: the room that there is. */
  described(withJobs: boolean): string {
    const { least } = this.held(this.certain, false);
    const ofJobs = withJobs ? this.held(this.certain, true).least - least : 0;
    return [
      `Its GPU nodes have room for at most ${this.capacity(this.possible).least} of these pods`,
      ...(least > 0 ? [`less ${least} GPU that other workloads hold`] : []),
      ...(ofJobs > 0 ? [`less ${ofJobs} GPU that Jobs hold until they end`] : []),
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

  private held(groups: readonly GpuGroup[], withJobs: boolean): Bound {
    const { lasting, passing } = heldBy(this.isPinned === true ? [] : this.others, this.groups, groups);
    return withJobs ? sum([lasting, passing]) : lasting;
  }

  private left(capacity: Bound, held: Bound): number {
    return capacity.least - Math.floor(held.least / this.gpusOfPod);
  }
}

/** What keeps its GPUs for as long as it stands. */
const lasting: readonly string[] = [barePod, deployment, statefulSet, replicaSet, replicationController, daemonSet];

/** Types that {@link heldBy} reads. */
export const holderTypes: readonly string[] = [...lasting, job];

/** GPUs that other workloads hold of those that a workload could use. */
export interface Held {
  /** Of what stays. */
  readonly lasting: Bound;
  /** Of Jobs, which end. */
  readonly passing: Bound;
}

/**
 * The GPUs of some groups that others than a workload hold for certain. What could run elsewhere too counts only with
 * its DaemonSets, which have a pod on every node.
 */
export function heldBy(others: readonly Resource[], groups: readonly GpuGroup[], within: readonly GpuGroup[]): Held {
  const held = (types: readonly string[]) =>
    sum(others.filter(({ type }) => types.includes(type)).map((other) => heldByOne(other, groups, within)));
  return { lasting: held(lasting), passing: held([job]) };
}

/** The workloads of a stack that may hold GPUs, but one. */
export function othersThan(workload: Resource, stack: Stack): Resource[] {
  return stack.ofType(...holderTypes).filter((other) => other !== workload);
}

function heldByOne(other: Resource, groups: readonly GpuGroup[], within: readonly GpuGroup[]): Bound {
  const template = podTemplate(other);
  const gpus = gpusOfPod(template);
  if (gpus.least === 0 && gpus.open.length === 0) return none;
  const theirs = groups.map((group) => ({ group, may: mayRunOn(template, group) })).filter(({ may }) => may !== false);
  if (other.type === daemonSet)
    return onEveryNode(
      gpus,
      theirs.filter(({ group }) => within.includes(group)),
    );
  const elsewhere = theirs.filter(({ group }) => !within.includes(group));
  if (theirs.length === 0 || elsewhere.some(({ may }) => may === true)) return none;
  const pods = podsOf(other);
  const open = [...gpus.open, ...pods.open, ...theirs.flatMap(({ may }) => openPaths(may))];
  return open.length > 0 ? { least: 0, open } : { least: gpus.least * pods.least, open };
}

const none: Bound = { least: 0, open: [] };

function onEveryNode(gpus: Bound, theirs: readonly { group: GpuGroup; may: Truth }[]): Bound {
  return sum(
    theirs.map(({ group, may }): Bound => {
      const nodes = bound(group.nodes);
      const open = [...gpus.open, ...nodes.open, ...openPaths(may)];
      return { least: may === true && gpus.open.length === 0 ? gpus.least * nodes.least : 0, open };
    }),
  );
}

/** The pods of a workload at a time. A bare pod has no replicas, and so is one. */
function podsOf(workload: Resource): Bound {
  if (workload.type !== job) return bound(replicasOf(workload));
  const isSuspended = workload.boolean("spec.suspend").is((on) => on);
  if (isSuspended !== false) return { least: 0, open: openPaths(isSuspended) };
  return bound(workload.integer("spec.parallelism").or(1));
}
