import { caughtAwsError } from "../../aws/aws-error";
import { inDays } from "../../components/core/faults";
import type { Problem } from "../../components/core/problems";
import { formatDuration } from "../../triage/snapshot/time";
import type { Unread } from "./group";
import type { leaseApi, LeaseEnd } from "./lease-api";

/** The lease of a stack. */
export interface Lease {
  /** When it ends GPU nodes, as one sentence; `none` without a lease. Undefined if no output states it. */
  readonly text?: string;
  /** Hours after `gpu up` at which a session ends. Undefined if a session has no end of its own. */
  readonly hours?: number;
  /** Its schedules. Undefined without a lease, or if the outputs of the stack do not name them. */
  readonly api?: ReturnType<typeof leaseApi>;
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
  if (!lease.api) {
    const why = "The stack does not export leaseScheduleGroup; it was created with an older version.";
    return unread(why, "run pulumi up");
  }
  try {
    const now = date();
    return { leaseEnds: { all: await lease.api.ends(now), now }, unread: [] };
  } catch (error) {
    const { why, fix } = caughtAwsError(error, "denied");
    return unread(why, fix);
  }
}

/** A snapshot with the ends of the lease. */
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
export function leaseProblems({ leaseEnds: ends }: LeaseReading, renew: (day: string) => string): Problem[] {
  if (!ends) return [];
  if (ends.all.length === 0) {
    const why = "EventBridge Scheduler has no enabled schedule of the lease for this node group: no session would end.";
    const fix = "run pulumi up --refresh, which creates and enables the schedules";
    return [{ code: "missing", path: "lease", got: undefined, why, fix }];
  }
  const ended = expiredEnd(ends);
  if (!ended) return [];
  const why = `The lease ended ${between(ended, ends.now)} ago. Its schedule ran once and ends no later session.`;
  const fix = `to renew the lease, ${renew(inDays(30, ends.now))}; to end the lab, pulumi destroy`;
  return [{ code: "not-allowed", path: "lease.expiresAt", got: timeText(ended), why, fix }];
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
    ...(isShort ? [`The session is short: the lease ends its nodes at ${endText(next, ends.now)}.`] : []),
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
