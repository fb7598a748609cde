import type { Resource, Stack } from "../../engine/resource";
import { openPaths, type Truth } from "../../../components/core/reader/truth";
import { bound, gpusOfPod, sum, type Bound, type GpuGroup } from "./gpu-capacity";
import { mayRunOn } from "./node-fit";
import {
  barePod,
  daemonSet,
  deployment,
  job,
  podTemplate,
  replicaSet,
  replicationController,
  statefulSet,
} from "./pod-template";
import { replicasOf } from "./rollout";

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
