import { parseJson } from "../../components/core/json-text";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { CloudError } from "../cloud/errors";
import type { Reference, Request, ResourceModel } from "../cloud/model";
import { timestampIn } from "./eks/common";
import { roleWithArn } from "./iam/roles";
import { types } from "./types";
import { arn, computedDefaults, nameFor, regional, stringAt, stringOf, uniqueName } from "./values";

/** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateScheduleGroup.html */
const nameLimit = 64;

function rejectName({ inputs }: Request, field: string): CloudError | undefined {
  const name = nameFor(inputs, "00000000");
  if (name.length <= nameLimit && /^[0-9a-zA-Z-_.]+$/.test(name)) return undefined;
  const constraint = `Value '${name}' at '${field}' failed to satisfy constraint`;
  return new CloudError("ValidationException", `1 validation error detected: ${constraint}`);
}

/** A group of schedules. Its deletion deletes the schedules. */
export const scheduleGroup: ResourceModel = {
  type: types.scheduleGroup,
  autoname: { property: "name", prefix: "namePrefix", maxLength: nameLimit },
  unique: uniqueName("ConflictException", (name) => `Schedule group ${name} already exists.`),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  ...regional((request, id, old) => ({
    ...computedDefaults(request.inputs, { name: id }),
    arn: arn(request.cloud, "scheduler", `schedule-group/${id}`),
    creationDate: old?.["creationDate"] ?? timestampIn(request.cloud),
    lastModificationDate: timestampIn(request.cloud),
    state: "ACTIVE",
  })),
  validateCreate: (request) => rejectName(request, "name"),
  seconds: { create: 2, delete: 5 },
};

const group: Reference = {
  path: "groupName",
  to: types.scheduleGroup,
  missing: (name) => new CloudError("ResourceNotFoundException", `Schedule group ${name} does not exist.`),
  onDelete: "cascade",
};

/** A document of Systems Manager, such as the Automation that a schedule starts. */
export const document: ResourceModel = {
  type: types.document,
  autoname: { property: "name", maxLength: 128 },
  required: ["content", "documentType"],
  unique: uniqueName("DocumentAlreadyExists", (name) => `Document ${name} already exists.`),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { name: id, documentFormat: "JSON" }),
    ...{ defaultVersion: "1", documentVersion: "1", latestVersion: "1", status: "Active" },
    arn: arn(request.cloud, "ssm", `document/${id}`),
  })),
};

/** A schedule. It runs when time passes in the simulation: see `passTime`. */
export const schedule: ResourceModel = {
  type: types.schedule,
  autoname: { property: "name", prefix: "namePrefix", maxLength: nameLimit },
  defaults: { scheduleExpressionTimezone: "UTC", state: "ENABLED" },
  required: ["flexibleTimeWindow", "scheduleExpression", "target"],
  references: [group],
  unique: ({ name, groupName }) => {
    if (name === undefined) return undefined;
    const message = `Schedule ${stringOf(name)} already exists.`;
    return { key: `${stringOf(groupName)}/${stringOf(name)}`, error: new CloudError("ConflictException", message) };
  },
  id: ({ inputs }, serial) => `${stringAt(inputs, "groupName") ?? "default"}/${nameFor(inputs, serial)}`,
  computed: ({ cloud, inputs }, id) => ({
    ...computedDefaults(inputs, {
      actionAfterCompletion: "NONE",
      groupName: "default",
      name: id.slice(id.indexOf("/") + 1),
      region: cloud.account.region,
    }),
    arn: arn(cloud, "scheduler", `schedule/${id}`),
  }),
  validateCreate: (request) => rejectName(request, "name") ?? rejectSchedule(request),
  validateUpdate: rejectSchedule,
};

function rejectSchedule(request: Request): CloudError | undefined {
  const reason = expressionProblem(request) ?? roleProblem(request) ?? inputProblem(request);
  return reason === undefined ? undefined : new CloudError("ValidationException", reason);
}

/** @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html */
function expressionProblem({ cloud, inputs }: Request): string | undefined {
  const expression = stringOf(inputs["scheduleExpression"]);
  const [, time] = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(expression) ?? [];
  const isPast = time !== undefined && Date.parse(`${time}Z`) <= cloud.date.getTime();
  const isForm = time !== undefined || /^(cron\(\S+( \S+){5}\)|rate\(\d+ (minute|hour|day)s?\))$/.test(expression);
  return isForm && !isPast ? undefined : `Invalid Schedule Expression ${expression}.`;
}

function roleProblem({ cloud, inputs }: Request): string | undefined {
  const [roleArn] = valuesAt(inputs, "target.roleArn");
  const trust = stringOf(roleWithArn(cloud, roleArn)?.inputs["assumeRolePolicy"]);
  if (trust.includes("scheduler.amazonaws.com")) return undefined;
  return "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.";
}

/** EventBridge Scheduler checks the required parameters of a universal target, whose keys begin with a capital letter. */
function inputProblem({ inputs }: Request): string | undefined {
  const [target] = valuesAt(inputs, "target.arn");
  if (!stringOf(target).endsWith(":aws-sdk:eks:updateNodegroupConfig")) return undefined;
  const [text] = valuesAt(inputs, "target.input");
  const input = parseJson(stringOf(text));
  const missing = ["ClusterName", "NodegroupName"].filter((key) => !isRecord(input) || input[key] === undefined);
  if (missing.length === 0) return undefined;
  return `Invalid RequestJson provided. Reason The following parameters are missing: ${missing.join(", ")}`;
}
