import type { GetScheduleCommandOutput } from "@aws-sdk/client-scheduler";
import { AwsError, caughtAwsError } from "../../aws/aws-error";
import type { Endpoint } from "../../aws/clients";
import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import { scheduleTimes } from "../../components/core/schedule-expression";
import { groupClients, groupText, type GroupReference } from "./group";

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
