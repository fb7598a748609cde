import { caughtAwsError, type AwsErrorKind } from "../../aws/aws-error";
import type { CostSummary } from "../../components/cost/cost-summary";
import { costNow, costSoFar } from "./cost";
import type { Activity, Group, Instance, Unread } from "./group";
import type { GroupApi } from "./group-api";
import type { LeaseReader, LeaseReading } from "./lease";
import type { GroupNode, NodesReading } from "./nodes";
import { healthText, reasonsOf, type Reason } from "./reasons";

/** A node group, its instances and its nodes at one time. Its lease has no ends until they are read. */
export interface Snapshot extends LeaseReading {
  readonly group: Group;
  /** Undefined if they could not be read. */
  readonly instances?: readonly Instance[];
  readonly activities: readonly Activity[];
  /** Undefined if they could not be read. */
  readonly nodes?: readonly GroupNode[];
  /** The pods that wait for a node of a NodePool. Undefined for a node group, and if they could not be read. */
  readonly waiting?: readonly string[];
  readonly expectsGpus: boolean;
  /** Why nodes are missing or do not work; empty if nothing is wrong. */
  readonly reasons: readonly Reason[];
  /** Undefined without the instances. */
  readonly cost?: CostSummary;
  /** Undefined if there is no instance, or instances or activities could not be read. */
  readonly costSoFar?: ReturnType<typeof costSoFar>;
  /** When a lease ends the nodes, or `none`. Undefined if that is not known. */
  readonly lease: string | undefined;
}

/** What a snapshot is read with. */
export interface Readers extends LeaseReader {
  readonly api: GroupApi;
  readonly nodes: () => Promise<NodesReading>;
}

/**
 * Reads a group. What the identity may not read is left out and named.
 *
 * @param before the group at the start of the command
 * @param isRequested whether the command has requested sizes: what failed before is over then
 * @throws AwsError if the group cannot be read, or AWS does not respond
 */
export async function readSnapshot(readers: Readers, before?: Snapshot, isRequested = false): Promise<Snapshot> {
  const { api, nodes, lease, now = () => new Date() } = readers;
  const described = await api.group();
  const unread: Unread[] = [];
  const unless = readerOf(unread);
  const { autoScalingGroups: names } = described;
  const [[instances, activities], template] = await Promise.all([
    unless(["denied"], "instances", api.instances(names)).then(async (read) => {
      const ids = (read ?? []).map(({ id }) => id);
      return [read, await unless(["denied"], "activities", api.activities(names, ids))] as const;
    }),
    // Only the price needs it: whatever the reason, without it the rest is shown.
    unless([], described.isPool ? "node class" : "launch template", api.template(described)),
  ]);
  const group = { ...described, ...template };
  // Without instances there are no nodes, and an idle group must not depend on a kubeconfig.
  const reading: NodesReading = isIdle(group, instances) ? { nodes: [] } : await nodes();
  if (reading.unread) unread.push(reading.unread);
  return {
    ...{ group, activities: activities ?? [], lease: lease?.text, unread },
    reasons: reasonsOf(
      group,
      launchesOf(group, instances, activities, isRequested ? before : undefined),
      olderOf(before),
    ),
    expectsGpus: reading.expectsGpus === true,
    ...(instances && {
      ...{ instances, cost: costNow(group, instances) },
      costSoFar: activities && costSoFar(group, instances, activities, now()),
    }),
    ...{ nodes: reading.nodes, waiting: reading.waiting },
  };
}

/** Whether there is nothing to read in the cluster. Pods can wait for a NodePool without nodes. */
function isIdle({ isPool }: Group, instances: readonly Instance[] | undefined): boolean {
  return instances?.length === 0 && !isPool;
}

/** Reads a part. Without its answer, because of an error of one of these kinds, the part is unread. */
function readerOf(unread: Unread[]) {
  return async <T>(kinds: readonly AwsErrorKind[], what: Unread["what"], part: Promise<T>): Promise<T | undefined> => {
    try {
      return await part;
    } catch (error) {
      const { why, fix } = caughtAwsError(error, ...kinds);
      unread.push({ what, why, fix });
      return undefined;
    }
  };
}

/** The activities that say why nodes are missing: none if the group has all its instances, and none from before a request. */
function launchesOf(
  { sizes, isPool }: Group,
  instances: readonly Instance[] | undefined,
  activities: readonly Activity[] = [],
  before?: Snapshot,
): readonly Activity[] {
  if (!isPool && instances !== undefined && instances.length >= sizes.desired) return [];
  return activities.filter(({ id }) => before?.activities.every((one) => one.id !== id) !== false);
}

/** What AWS reported before the command began. */
function olderOf(before?: Snapshot): ReadonlySet<string> {
  return new Set([...(before?.activities ?? []).map(({ id }) => id), ...(before?.group.issues ?? []).map(healthText)]);
}

/** How many instances run, and how many nodes are Ready, advertise GPUs, and can be used. */
export function countsOf({ instances = [], nodes = [], expectsGpus }: Snapshot) {
  return {
    running: instances.filter(({ state }) => state === "running").length,
    ready: nodes.filter(({ ready }) => ready).length,
    withGpus: nodes.filter(({ gpus }) => gpus > 0).length,
    usable: nodes.filter(({ ready, gpus }) => ready && (gpus > 0 || !expectsGpus)).length,
  };
}
