import type { GetScheduleCommandOutput } from "@aws-sdk/client-scheduler";
import { parseJson } from "../components/core/json-text";
import { isRecord } from "../components/core/reader/records";
import { AwsError } from "./aws-error";
import { asked, clientSettings, credentialsOf, type Endpoint } from "./aws";
import { groupText, type GroupReference } from "./group";

/** When the lease of a stack ends a session, as the outputs of the stack state it. */
export interface SessionEnd {
  /** Hours after `gpu up`. */
  readonly hours: number;
  /** The group of the lease's schedules in EventBridge Scheduler. */
  readonly scheduleGroupName: string;
}

/** The schedule that ends a session. Each call throws an AwsError if AWS does not answer it. */
export interface SessionEndApi {
  /** Ends the nodes at this time. Replaces an earlier time. */
  endAt(time: Date): Promise<void>;
  /** Removes that time, if there is one. */
  cancel(): Promise<void>;
}

/**
 * The end of a session is a one-time schedule next to those of the lease, with the target of one of them. So it has the role,
 * the request and the dead-letter queue of the lease. It is deleted after it ran, and with the schedule group of the lease.
 */
export async function sessionEndApi(at: GroupReference, end: SessionEnd, other?: Endpoint): Promise<SessionEndApi> {
  const { Scheduler } = await import("@aws-sdk/client-scheduler");
  const scheduler = new Scheduler({ ...clientSettings, ...credentialsOf(at), ...other, region: at.region });
  const inGroup = { GroupName: end.scheduleGroupName };
  const ask = <T>(action: string, request: () => Promise<T>) =>
    asked(at, `scheduler:${action}`, request).catch((error: unknown) => {
      throw isMissing(error) ? noSchedule(at, error.action) : error;
    });
  const leaseSchedule = async () => {
    const { Schedules: found = [] } = await ask("ListSchedules", () => scheduler.listSchedules(inGroup));
    const names = found.flatMap(({ Name }) => (Name === undefined || isOfSession(Name) ? [] : Name));
    for (const Name of names) {
      const schedule = await ask("GetSchedule", () => scheduler.getSchedule({ ...inGroup, Name }));
      if (isOf(schedule, at)) return schedule;
    }
    throw noSchedule(at, "scheduler:ListSchedules");
  };
  return {
    endAt: async (time) => {
      const { Name, Target } = await leaseSchedule();
      const schedule = { ...inGroup, Name: sessionName(Name), Target, ...onceAt(time) };
      try {
        await ask("CreateSchedule", () => scheduler.createSchedule(schedule));
      } catch (error) {
        if (!(error instanceof AwsError) || error.code !== "ConflictException") throw error;
        await ask("UpdateSchedule", () => scheduler.updateSchedule(schedule));
      }
    },
    cancel: async () => {
      const { Name } = await leaseSchedule();
      try {
        await ask("DeleteSchedule", () => scheduler.deleteSchedule({ ...inGroup, Name: sessionName(Name) }));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
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

/** Whether a schedule of the lease ends this node group. A lease can end several. */
function isOf({ Target }: GetScheduleCommandOutput, { cluster, group }: GroupReference): boolean {
  const input = parseJson(Target?.Input ?? "");
  return isRecord(input) && input["ClusterName"] === cluster && input["NodegroupName"] === group;
}

const prefix = "session-";

function isOfSession(name: string): boolean {
  return name.startsWith(prefix);
}

/** `session-gpu` for `nightly-gpu` and `end-gpu`. */
function sessionName(name = ""): string {
  return prefix + name.replace(/^(nightly|end)-/, "");
}

function isMissing(error: unknown): error is AwsError {
  return error instanceof AwsError && error.kind === "missing";
}

function noSchedule(at: GroupReference, action: string): AwsError {
  const why = `The lease has no schedule for the node group ${groupText(at)}.`;
  return new AwsError(
    "missing",
    action,
    "ResourceNotFoundException",
    why,
    "run pulumi up, which creates the schedules",
  );
}
