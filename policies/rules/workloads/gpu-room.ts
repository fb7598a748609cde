import type { Resource } from "../../engine/resource";
import { openPaths, some, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { someOf } from "./each";
import { gpusOfPod, orOpen, podsOn, sum, type Bound, type GpuGroup } from "./gpu-capacity";
import { heldBy } from "./gpu-holders";
import { mayRunOn } from "./node-fit";
import { hostname } from "./node-labels";
import { podTemplate } from "./pod-template";
import { replicasOf } from "./rollout";

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
