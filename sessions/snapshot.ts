import type { CostSummary } from "../components/cost/cost-summary";
import { AwsError } from "./aws-error";
import { costNow, costSoFar, type CostSoFar } from "./cost";
import type { Activity, Group, GroupApi, Instance } from "./group";
import type { Lease, LeaseEnds } from "./lease";
import { rightsFix, type GroupNode, type NodesReading } from "./nodes";
import { healthText, reasonsOf, type Reason } from "./reasons";

/** What could not be read, and what to do about it. */
export interface Unread {
  readonly what: "instances" | "activities" | "launch template" | "nodes" | "pods" | "lease";
  readonly why: string;
  readonly fix: string;
}

/** A node group, its instances and its nodes at one time. */
export interface Snapshot {
  readonly group: Group;
  /** Undefined if they could not be read. */
  readonly instances?: readonly Instance[];
  readonly activities: readonly Activity[];
  /** Undefined if they could not be read. */
  readonly nodes?: readonly GroupNode[];
  readonly expectsGpus: boolean;
  /** Why nodes are missing or do not work; empty if nothing is wrong. */
  readonly reasons: readonly Reason[];
  /** Undefined without the instances. */
  readonly cost?: CostSummary;
  /** Undefined if there is no instance, or instances or activities could not be read. */
  readonly costSoFar?: CostSoFar | undefined;
  /** When a lease ends the nodes, or `none`. Undefined if that is not known. */
  readonly lease: string | undefined;
  /** When its schedules end the nodes. Undefined if they were not read. */
  readonly leaseEnds?: LeaseEnds;
  readonly unread: readonly Unread[];
}

/** What a snapshot is read with. */
export interface Readers {
  readonly api: GroupApi;
  readonly nodes: () => Promise<NodesReading>;
  /** Undefined if it is not known. */
  readonly lease?: Lease | undefined;
  /** The date of the account. @default that of this machine */
  readonly now?: (() => Date) | undefined;
}

/** The group at the start of a command. */
export interface Start {
  readonly before: Snapshot;
  /** Whether the command has requested sizes: what failed before is over then. */
  readonly isRequested: boolean;
}

/**
 * Reads a group. What the identity may not read is left out and named.
 *
 * @throws AwsError if the group cannot be read, or AWS does not respond
 */
export async function readSnapshot({ api, nodes, lease, now }: Readers, start?: Start): Promise<Snapshot> {
  const described = await api.group();
  const unread: Unread[] = [];
  const ifAllowed = async <T>(what: Unread["what"], reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof AwsError) || error.kind !== "denied") throw error;
      unread.push({ what, why: error.why, fix: error.fix });
      return undefined;
    }
  };
  const { autoScalingGroups } = described;
  const [[instances, found], group] = await Promise.all([
    ifAllowed("instances", api.instances(autoScalingGroups)).then(async (read) => {
      const ids = (read ?? []).map(({ id }) => id);
      return [read, await ifAllowed("activities", api.activities(autoScalingGroups, ids))] as const;
    }),
    withTemplate(described, api, unread),
  ]);
  const activities = found ?? [];
  // Without instances there are no nodes, and an idle group must not depend on a kubeconfig.
  const reading = instances?.length === 0 ? noNodes : await nodes();
  if ("unread" in reading) unread.push({ what: "nodes", why: reading.unread, fix: reading.fix });
  else if (reading.podsUnread !== undefined) unread.push(podsUnread(reading.podsUnread));
  return {
    ...{ group, activities, lease: lease?.text, unread },
    reasons: missingReasons(group, instances, activities, start),
    expectsGpus: "nodes" in reading && reading.expectsGpus,
    ...(instances && { instances, ...costsOf(group, instances, found, now) }),
    ...("nodes" in reading && { nodes: reading.nodes }),
  };
}

/** Only the price needs the launch template: whatever the reason, without it the rest is shown. */
async function withTemplate(group: Group, { template }: GroupApi, unread: Unread[]): Promise<Group> {
  try {
    const { volumes, instanceType } = await template(group);
    const instanceTypes = instanceType === undefined ? group.instanceTypes : [instanceType];
    return { ...group, instanceTypes, volumes };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    unread.push({ what: "launch template", why: error.why, fix: error.fix });
    return group;
  }
}

/** Why nodes are missing: failed launches, unless the group has all its instances, and what EKS reports. */
function missingReasons(
  group: Group,
  instances: readonly Instance[] | undefined,
  activities: readonly Activity[],
  { before, isRequested = false }: Partial<Start> = {},
): readonly Reason[] {
  const launches = new Set(before?.activities.map(({ id }) => id));
  const older = new Set([...launches, ...(before?.group.issues ?? []).map(healthText)]);
  const isShort = instances === undefined || instances.length < group.sizes.desired;
  const counted = activities.filter(({ id }) => !isRequested || !launches.has(id));
  return reasonsOf(group, isShort ? counted : [], older);
}

function costsOf(
  group: Group,
  instances: readonly Instance[],
  activities: readonly Activity[] | undefined,
  now: Readers["now"] = () => new Date(),
) {
  const soFar = activities && costSoFar(group, instances, activities, now());
  return { cost: costNow(group, instances), costSoFar: soFar };
}

const noNodes: NodesReading = { nodes: [], expectsGpus: false };

function podsUnread(why: string): Unread {
  return { what: "pods", why, fix: rightsFix };
}

/** The pods that hold GPUs of the group. */
export function holdersIn({ nodes = [] }: Snapshot) {
  return nodes.flatMap(({ name, holders }) => holders.map((holder) => ({ ...holder, node: name })));
}
