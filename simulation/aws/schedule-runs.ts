import { parseJson } from "../../components/core/json-text";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { scheduleTimes } from "../../components/core/schedule-expression";
import { CloudError } from "../cloud/errors";
import { propertyOf, type CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { objectsOfCluster } from "./eks/common";
import { scalingConfigOf } from "./eks/nodes/node-group-rules";
import { scaleGroup } from "./eks/nodes/instances";
import { isAllowed } from "./iam/policy-documents";
import { roleWithArn } from "./iam/roles";
import { types } from "./types";
import { stringOf } from "./values";

/** A schedule that started its target. */
export interface ScheduledRun {
  /** `GROUP/NAME` of the schedule. */
  readonly schedule: string;
  readonly at: Date;
  /** Why the target failed. EventBridge Scheduler then sends its request to the dead-letter queue. */
  readonly error?: string;
}

/** Moves the date of a cloud forward, and runs the schedules that are due meanwhile, in the order of their times. */
export function passTime(cloud: SimulatedCloud, until: Date): ScheduledRun[] {
  const from = cloud.date;
  const due = cloud
    .find(types.schedule)
    .flatMap(({ id, inputs }) => timesOf(cloud, inputs, from, until).map((at) => ({ id, at })))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  const runs = due.flatMap(({ id, at }) => {
    const schedule = cloud.get(types.schedule, id);
    if (!schedule) return [];
    skipTo(cloud, at);
    return [runSchedule(cloud, schedule, at)];
  });
  skipTo(cloud, until);
  return runs;
}

function skipTo(cloud: SimulatedCloud, date: Date): void {
  cloud.skip(Math.max(0, date.getTime() - cloud.date.getTime()));
}

/** When a schedule runs, after one date and until another. */
function timesOf(cloud: SimulatedCloud, inputs: CloudObject["inputs"], from: Date, until: Date): Date[] {
  if (inputs["state"] === "DISABLED") return [];
  const expression = stringOf(inputs["scheduleExpression"]);
  const found = scheduleTimes(expression, stringOf(inputs["scheduleExpressionTimezone"] ?? "UTC"));
  if (!found) {
    cloud.unsimulated.add(`${types.schedule} ${expression}`);
    return [];
  }
  const times: Date[] = [];
  for (let next = found.next(from); next && next <= until; next = found.next(next)) times.push(next);
  return times;
}

function runSchedule(cloud: SimulatedCloud, schedule: CloudObject, at: Date): ScheduledRun {
  const error = targetError(cloud, schedule);
  if (error !== undefined) sendToDeadLetters(cloud, schedule, error);
  const isOnce = stringOf(schedule.inputs["scheduleExpression"]).startsWith("at(");
  if (isOnce && propertyOf(schedule, "actionAfterCompletion") === "DELETE") cloud.remove(schedule.type, schedule.id);
  return { schedule: schedule.id, at, error };
}

/** Starts the target of a schedule: the change of a node group's sizes, or an Automation. Returns why it fails. */
function targetError(cloud: SimulatedCloud, { inputs }: CloudObject): string | undefined {
  const [target] = valuesAt(inputs, "target.arn");
  if (stringOf(target).endsWith(":aws-sdk:ssm:startAutomationExecution")) return automationError(cloud, inputs);
  if (!stringOf(target).endsWith(":aws-sdk:eks:updateNodegroupConfig")) {
    cloud.unsimulated.add(`${types.schedule} ${stringOf(target)}`);
    return undefined;
  }
  const request = parseJson(stringOf(valuesAt(inputs, "target.input")[0]));
  const { ClusterName: cluster, NodegroupName: name, ScalingConfig: sizes } = isRecord(request) ? request : {};
  const groups = objectsOfCluster(cloud, types.nodeGroup, stringOf(cluster));
  const group = groups.find((each) => propertyOf(each, "nodeGroupName") === name);
  if (!group) return `No node group found for name: ${stringOf(name)}.`;
  const denied = denial(cloud, inputs, "eks:UpdateNodegroupConfig", stringOf(propertyOf(group, "arn")));
  if (denied !== undefined) return denied;
  const { minSize, maxSize, desiredSize } = scalingConfigOf(group.inputs);
  const stated = (key: string, old: number) => (isRecord(sizes) && typeof sizes[key] === "number" ? sizes[key] : old);
  try {
    scaleGroup(cloud, group, {
      minSize: stated("MinSize", minSize),
      maxSize: stated("MaxSize", maxSize),
      desiredSize: stated("DesiredSize", desiredSize),
    });
    return undefined;
  } catch (error) {
    if (error instanceof CloudError) return error.explanation;
    throw error;
  }
}

/** Why an Automation does not start. Its steps do not run: the simulation has no instances of NodePools. */
function automationError(cloud: SimulatedCloud, inputs: CloudObject["inputs"]): string | undefined {
  const request = parseJson(stringOf(valuesAt(inputs, "target.input")[0]));
  const name = isRecord(request) ? stringOf(request["DocumentName"]) : "";
  const document = cloud.get(types.document, name);
  if (!document) return `Automation document ${name} does not exist.`;
  const definition = stringOf(document.computed["arn"]).replace(":document/", ":automation-definition/");
  return denial(cloud, inputs, "ssm:StartAutomationExecution", `${definition}:$DEFAULT`);
}

/** The message of AWS when the role of a schedule does not allow a request. */
function denial(cloud: SimulatedCloud, inputs: CloudObject["inputs"], action: string, resource: string) {
  const [arn] = valuesAt(inputs, "target.roleArn");
  const role = roleWithArn(cloud, arn);
  if (role && isAllowed(cloud, role, action, resource)) return undefined;
  return `User: ${stringOf(arn)} is not authorized to perform: ${action} on resource: ${resource}`;
}

/** Adds a failed request to the dead-letter queue of a schedule, if it has one and its role may send to it. */
function sendToDeadLetters(cloud: SimulatedCloud, { inputs, id }: CloudObject, error: string): void {
  const [arn] = valuesAt(inputs, "target.deadLetterConfig.arn");
  const [queue] = cloud.find(types.queue, { arn });
  if (!queue || denial(cloud, inputs, "sqs:SendMessage", stringOf(arn)) !== undefined) return;
  const messages = [queue.computed["messages"] ?? []].flat();
  cloud.put({ ...queue, computed: { ...queue.computed, messages: [...messages, { schedule: id, error }] } });
}
