import { AwsError, caughtAwsError } from "../../aws/aws-error";
import { inDays } from "../../components/core/faults";
import type { Problem } from "../../components/core/problems";
import { formatDuration } from "../../triage/snapshot/time";
import { groupClients, groupText, type GroupReference, type Unread } from "./group";
import type { GetScheduleCommandOutput } from "@aws-sdk/client-scheduler";
import type { Endpoint } from "../../aws/clients";
import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import { scheduleTimes } from "../../components/core/schedule-expression";

export interface Lease {
  /** When it ends GPU nodes, as one sentence; `none` without a lease. Undefined if no output states it. */
  readonly text?: string;
  /** Hours after `gpu up` at which a session ends. Undefined if a session has no end of its own. */
  readonly hours?: number;
  /** Its schedules. Undefined without a lease, or if the outputs of the stack do not name them. */
  readonly api?: ReturnType<typeof leaseApi>;
  /** When its CronJobs end the nodes of a NodePool. Undefined for a node group, which schedules end. */
  readonly ends?: (now: Date) => Promise<LeaseEnd[]>;
}

/** When the schedules of a lease end the nodes of a group. */
export interface LeaseEnds {
  /** Empty if no enabled schedule ends them. */
  readonly all: readonly LeaseEnd[];
  /** The date to which they were read. */
  readonly now: Date;
}

/** The ends of a lease, or why they could not be read. */
export interface LeaseReading {
  readonly leaseEnds?: LeaseEnds;
  readonly unread: readonly Unread[];
}

/** Where a lease is read: its schedules, and the date of the account. */
export interface LeaseReader {
  /** Undefined if it is not known. */
  readonly lease?: Lease | undefined;
  /** The date of the account. @default that of this machine */
  readonly now?: (() => Date) | undefined;
}

/**
 * Reads when a lease ends nodes. Without the right to do so, that is named.
 *
 * @throws AwsError if AWS does not respond
 */
export async function readLease({ lease, now: date = () => new Date() }: LeaseReader): Promise<LeaseReading> {
  if (!lease || lease.text === "none") return { unread: [] };
  const unread = (why: string, fix: string): LeaseReading => ({ unread: [{ what: "lease", why, fix }] });
  const now = date();
  const read = lease.ends ?? lease.api?.ends;
  if (!read) {
    const why = "The stack does not export leaseScheduleGroup; it was created with an older version.";
    return unread(why, "run pulumi up");
  }
  try {
    return { leaseEnds: { all: await read(now), now }, unread: [] };
  } catch (error) {
    const { why, fix } = caughtAwsError(error, "denied");
    return unread(why, fix);
  }
}

export function withLease<Reading extends LeaseReading>(snapshot: Reading, lease: LeaseReading): Reading {
  return { ...snapshot, ...lease, unread: [...snapshot.unread, ...lease.unread] };
}

/** The end of the lease, if it is over. */
export function expiredEnd({ all, now }: LeaseEnds): Date | undefined {
  return all.find(({ by, at }) => by === "expiresAt" && at !== undefined && at <= now)?.at;
}

/** The next time at which the lease ends nodes, as far as the tool can compute it. */
export function nextEnd({ all, now }: LeaseEnds): Required<LeaseEnd> | undefined {
  const ahead = all.flatMap(({ by, at }) => (at !== undefined && at > now ? [{ by, at }] : []));
  return ahead.sort((one, other) => one.at.getTime() - other.at.getTime())[0];
}

/** Why no session may start: the lease is over, or no schedule of it would end the nodes. */
export function leaseProblems(
  { leaseEnds: ends }: LeaseReading,
  renew: (day: string) => string,
  isPool = false,
): Problem[] {
  if (!ends) return [];
  if (ends.all.length === 0) return [{ code: "missing", path: "lease", got: undefined, ...withoutEnd(isPool) }];
  const ended = expiredEnd(ends);
  if (!ended) return [];
  const why = `The lease ended ${between(ended, ends.now)} ago. Its schedule ran once and does not end later sessions.`;
  const fix = `to renew the lease, ${renew(inDays(30, ends.now))}; to end the lab, pulumi destroy`;
  return [{ code: "not-allowed", path: "lease.expiresAt", got: timeText(ended), why, fix }];
}

function withoutEnd(isPool: boolean): Pick<Problem, "why" | "fix"> {
  if (!isPool) {
    const why = "EventBridge Scheduler has no enabled schedule of the lease for this node group: no session would end.";
    return { why, fix: "run pulumi up --refresh, which creates and enables the schedules" };
  }
  const why = "Every CronJob of the lease for this NodePool is missing or suspended: no session would end.";
  const resume = `kubectl patch cronjob -n kube-system NAME -p '{"spec":{"suspend":false}}'`;
  return { why, fix: `run pulumi up --refresh, which creates the CronJobs; to resume one, ${resume}` };
}

/** When a session that starts now has its own end. Undefined if the lease has no `hours`. */
export function sessionEnd(lease: Lease | undefined, now: Date): Date | undefined {
  if (lease?.api === undefined || lease.hours === undefined) return undefined;
  const minute = 60_000;
  // Whole minutes: EventBridge Scheduler starts its targets within a minute.
  return new Date((Math.ceil(now.getTime() / minute) + lease.hours * 60) * minute);
}

/** The ends with that of a new session, which replaces that of an earlier one. */
export function withSession({ all, now }: LeaseEnds, end: Date | undefined): LeaseEnds {
  return { now, all: end ? [...all.filter(({ by }) => by !== "hours"), { by: "hours", at: end }] : all };
}

/** Nodes take minutes to start: a session with less time is hardly worth it. */
const shortMinutes = 60;

/** What the user should know before a session starts: that it ends soon, or that its end is not known. */
export function leaseWarnings(ends: LeaseEnds, unread: readonly Unread[]): string[] {
  const next = nextEnd(ends);
  const isShort = next && next.at.getTime() - ends.now.getTime() < shortMinutes * 60_000;
  return [
    ...(isShort ? [`The session is short: the lease terminates its nodes at ${endText(next, ends.now)}.`] : []),
    ...unread.map(({ why }) => `The tool does not know when the lease ends. ${why}`),
  ];
}

/** `2026-12-01T13:00Z, in 25m (lease.nightly)` */
export function endText({ by, at }: Required<LeaseEnd>, now: Date): string {
  return `${timeText(at)}, in ${between(now, at)} (lease.${by})`;
}

/** The time from one date to another, as kubectl writes it. */
export function between(from: Date, to: Date): string {
  return formatDuration(Math.round((to.getTime() - from.getTime()) / 1000));
}

/** `2026-12-01T13:00Z` */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}

/** A time at which a lease ends the nodes of a group. */
export interface LeaseEnd {
  /** The setting that it comes from: the end of the lease, the hours of a session, or the time of each day. */
  readonly by: "expiresAt" | "hours" | "nightly";
  /** The next time; for `expiresAt`, the only one. Undefined if the tool cannot compute it. */
  readonly at?: Date;
}

/**
 * The schedules of a lease in EventBridge Scheduler. The end of a session is a one-time schedule next to those of the lease,
 * with the target of one of them. So it has the role, the request and the dead-letter queue of the lease. It is deleted after
 * it ran, and with the schedule group of the lease. Each call throws an AwsError if AWS does not answer it.
 */
export function leaseApi(at: GroupReference, scheduleGroupName: string, other?: Endpoint) {
  const aws = groupClients(at, other);
  const inGroup = { GroupName: scheduleGroupName };
  /** The schedules that end this node group. A lease can end several groups, and a schedule can be deleted meanwhile. */
  const schedules = async () => {
    const found = await aws.list("scheduler:ListSchedules", "Schedules", inGroup).catch(ifMissing([]));
    const named = found.flatMap(({ Name }) => (Name === undefined ? [] : { ...inGroup, Name }));
    const read = named.map((one) => aws.ask("scheduler:GetSchedule", one).catch(ifMissing({})));
    return (await Promise.all<Schedule>(read)).filter((schedule) => isOf(schedule, at));
  };
  const leaseSchedule = async () => {
    const found = (await schedules()).find(({ Name }) => !isOfSession(Name));
    if (found) return found;
    const why = `The lease has no schedule for the node group ${groupText(at)}.`;
    const fix = "run pulumi up --refresh, which creates the schedules";
    throw new AwsError("missing", "scheduler:ListSchedules", "ResourceNotFoundException", why, fix);
  };
  return {
    /** When the schedules end the nodes. Empty if there is no enabled schedule. */
    ends: async (now: Date): Promise<LeaseEnd[]> => (await schedules()).flatMap((one) => endOf(one, now)),
    /** Ends the session at this time. Replaces an earlier time. */
    endAt: async (time: Date): Promise<void> => {
      const { Name, Target } = await leaseSchedule();
      const schedule = { ...inGroup, Name: sessionName(Name), Target, ...onceAt(time) };
      try {
        await aws.ask("scheduler:CreateSchedule", schedule);
      } catch (error) {
        if (caughtAwsError(error).code !== "ConflictException") throw error;
        await aws.ask("scheduler:UpdateSchedule", schedule);
      }
    },
    /** Removes that time, if there is one. */
    cancel: async (): Promise<void> => {
      const session = { ...inGroup, Name: sessionName((await leaseSchedule()).Name) };
      await aws.ask("scheduler:DeleteSchedule", session).catch(ifMissing({}));
    },
  };
}

function onceAt(time: Date) {
  return {
    Description: "Ends the GPU nodes of a session",
    ScheduleExpression: `at(${time.toISOString().slice(0, 19)})`,
    ScheduleExpressionTimezone: "UTC",
    FlexibleTimeWindow: { Mode: "OFF" },
    ActionAfterCompletion: "DELETE",
  } as const;
}

type Schedule = Partial<GetScheduleCommandOutput>;

/** When a schedule ends the nodes, unless it is disabled. */
function endOf({ Name, State, ScheduleExpression = "", ScheduleExpressionTimezone }: Schedule, now: Date): LeaseEnd[] {
  if (State === "DISABLED") return [];
  const times = scheduleTimes(ScheduleExpression, ScheduleExpressionTimezone);
  const at = times?.next(times.isOnce ? new Date(0) : now);
  const by = isOfSession(Name) ? "hours" : times?.isOnce === true ? "expiresAt" : "nightly";
  return [{ by, at }];
}

/** Whether a schedule ends this node group. */
function isOf({ Target }: Schedule, { cluster, group }: GroupReference): boolean {
  const input = parseJson(Target?.Input ?? "");
  return isRecord(input) && input["ClusterName"] === cluster && input["NodegroupName"] === group;
}

const prefix = "session-";

function isOfSession(name = ""): boolean {
  return name.startsWith(prefix);
}

/** `session-gpu` for `nightly-gpu` and `end-gpu`. */
function sessionName(name = ""): string {
  return prefix + name.replace(/^(nightly|end)-/, "");
}

/** Takes nothing in place of a group or schedule that AWS does not have. */
function ifMissing<Nothing>(nothing: Nothing) {
  return (error: unknown): Nothing => {
    caughtAwsError(error, "missing");
    return nothing;
  };
}
