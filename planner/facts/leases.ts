import { token } from "../../components/core/tokens";
import { optionalProperty, withoutUndefined } from "../../components/core/reader/records";
import { leaseEndTime, scheduleText } from "../../components/lease/lease-documents";
import type { RecordedResource } from "../record/record";
import { nodeGroupTypes } from "./node-groups";
import { inputsOf, type ResourceIndex } from "./resource-index";

/** A lease as the program registered it: when it sets the sizes of which node groups to 0. */
export interface LeaseFacts {
  readonly urn: string;
  readonly name: string;
  /** When its schedules run, each time once. */
  readonly times: readonly LeaseTime[];
  /** Hours after `gpu up` at which a session ends. Absent if sessions have no end of their own. */
  readonly hours?: number;
  /** The SNS topics that get a message when a schedule fails. Absent when it is not known yet. */
  readonly alarmTopics?: number;
  /** The physical names of the node groups if the program sets them, else the logical ones. */
  readonly nodeGroups: readonly string[];
  /** The names of the NodePools, of a lease that runs in the cluster. Absent for node groups. */
  readonly nodePools?: readonly string[];
  /** Whether a second line ends the instances of the NodePools without their cluster. Absent for node groups. */
  readonly hasSecondLine?: boolean;
}

export interface LeaseTime {
  /** The setting that it comes from. */
  readonly by: "nightly" | "expiresAt";
  /** The expression of EventBridge Scheduler, or of the CronJob. Absent when it is not known yet. */
  readonly expression?: string;
  readonly timeZone?: string;
  /** E.g. `every day at 22:00 Asia/Seoul`. Absent when it is not known yet. */
  readonly text?: string;
}

/** The schedule of EventBridge Scheduler. */
const schedule = "aws:scheduler/schedule:Schedule";
const cronJob = "kubernetes:batch/v1:CronJob";

/** Every lease of a recording, in the order of registration. */
export function leasesOf(index: ResourceIndex): LeaseFacts[] {
  return [...groupLeases(index), ...poolLeases(index)];
}

function groupLeases(index: ResourceIndex): LeaseFacts[] {
  return index.ofType(token("LabLease")).map((lease) => {
    const times = index.childrenOf(lease.urn).filter(({ type }) => type === schedule);
    return {
      ...{ urn: lease.urn, name: lease.name },
      times: distinct(times.map(timeOf)),
      ...optionalProperty("hours", inputsOf(lease).integer("hours").value),
      ...optionalProperty("alarmTopics", inputsOf(lease).list("alarmTopicArns").value?.length),
      nodeGroups: nodeGroupsOf(index, lease),
    };
  });
}

function poolLeases(index: ResourceIndex): LeaseFacts[] {
  return index.ofType(token("NodePoolLease")).map((lease) => {
    const inputs = inputsOf(lease);
    const jobs = index.childrenOf(lease.urn).filter(({ type }) => type === cronJob);
    const expiresAt = inputs.text("expiresAt").value;
    const ends = { nightly: `every day at ${inputs.text("nightly").value} ${inputs.text("timeZone").value}` };
    const times = jobs.map((job): LeaseTime => {
      const by = /-end-/.test(job.name) ? "expiresAt" : "nightly";
      const text = by === "nightly" ? ends.nightly : expiresAt && leaseEndTime(expiresAt);
      const { value: expression } = inputsOf(job).text("spec.schedule");
      const { value: timeZone } = inputsOf(job).text("spec.timeZone");
      return { by, ...withoutUndefined({ expression, timeZone, text }) };
    });
    const nodePools = inputs.strings("nodePools");
    const alarm = index.childrenOf(lease.urn).find(({ type }) => type === "aws:cloudwatch/metricAlarm:MetricAlarm");
    return {
      ...{ urn: lease.urn, name: lease.name, times: distinct(times), nodeGroups: [], nodePools },
      ...optionalProperty("alarmTopics", alarm && inputsOf(alarm).list("alarmActions").value?.length),
      hasSecondLine: alarm !== undefined,
    };
  });
}

function timeOf(resource: RecordedResource): LeaseTime {
  const inputs = inputsOf(resource);
  const expression = inputs.text("scheduleExpression").value;
  const timeZone = inputs.text("scheduleExpressionTimezone").or("UTC").value;
  const isOnce = expression?.startsWith("at(") ?? /-end-/.test(resource.name);
  return {
    by: isOnce ? "expiresAt" : "nightly",
    ...optionalProperty("expression", expression),
    ...optionalProperty("timeZone", timeZone),
    ...(expression !== undefined && timeZone !== undefined && { text: scheduleText(expression, timeZone) }),
  };
}

/** A lease has a schedule for each group and time. */
function distinct(times: readonly LeaseTime[]): LeaseTime[] {
  return [...new Map(times.map((time) => [JSON.stringify(time), time])).values()];
}

function nodeGroupsOf(index: ResourceIndex, lease: RecordedResource): string[] {
  const groups = inputsOf(lease).entries("nodeGroups").value ?? [];
  const known = groups.flatMap(([, group]) => group.text("nodeGroupName").value ?? []);
  const created = index
    .sourcesOf(lease, "nodeGroups", ...nodeGroupTypes)
    .map((group) => inputsOf(group).text("nodeGroupName").value ?? group.name);
  return [...new Set([...created, ...known])];
}
