import type * as budgets from "@pulumi/aws/budgets";
import type * as cloudwatch from "@pulumi/aws/cloudwatch";
import type * as iam from "@pulumi/aws/iam";
import type * as scheduler from "@pulumi/aws/scheduler";
import type * as sqs from "@pulumi/aws/sqs";
import * as v from "valibot";
import { clusterName } from "../cluster/cluster-name";
import { endForm, endOf, inDays, isAhead } from "../core/faults";
import type { Problem } from "../core/problems";
import { join, remembered, step } from "../core/reader/paths";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../core/schema";
import { nearest } from "../core/suggest";
import { tagMap } from "../core/tokens";
import { transformOf, type Transform } from "../core/transform";
import { resourceId } from "../nodes/node-group-schema";
import { maxNodeCount } from "../nodes/scaling";

/** Adjusts each underlying resource before it is created. */
export interface LabLeaseTransform {
  readonly scheduleGroup?: Transform<scheduler.ScheduleGroupArgs>;
  /** Applies to each schedule: `<name>-nightly-<group>` and `<name>-end-<group>`. */
  readonly schedule?: Transform<scheduler.ScheduleArgs>;
  readonly role?: Transform<iam.RoleArgs>;
  readonly rolePolicy?: Transform<iam.RolePolicyArgs>;
  readonly queue?: Transform<sqs.QueueArgs>;
  readonly queuePolicy?: Transform<sqs.QueuePolicyArgs>;
  readonly alarm?: Transform<cloudwatch.MetricAlarmArgs>;
  readonly budget?: Transform<budgets.BudgetArgs>;
}

/** The longest lease. A lab that runs longer needs a renewal, and with it a decision. */
const longestLeaseDays = 366;

function leaseEnd() {
  return v.pipe(
    s.text("set {path} to a day or a time"),
    s.check((got: string, path): Problem[] => {
      const now = new Date();
      const end = endOf(got);
      const later = `set ${path} to a day within ${longestLeaseDays} days, such as ${inDays(30, now)}`;
      if (!end) return [{ code: "not-allowed", path, got, why: endForm, fix: later }];
      if (isAhead(end, now, longestLeaseDays)) return [];
      const hasEnded = end.ends <= now.getTime();
      const why = hasEnded ? "The lease has ended." : `Must be at most ${longestLeaseDays} days ahead.`;
      const fix = hasEnded ? `to renew the lease, ${later}; to end the lab, pulumi destroy` : later;
      return [{ code: "not-allowed", path, got, why, fix }];
    }),
  );
}

/** The longest name that EventBridge Scheduler accepts. */
const longestTimeZone = 50;

/** ICU lists its zones anew for each call. */
const isTimeZone = remembered((name: string): boolean => {
  const zones = Intl.supportedValuesOf("timeZone");
  if (name === "UTC" || zones.includes(name)) return true;
  const isForm = /^[A-Z]\w+(\/[A-Z][\w+-]+){1,2}$/.test(name) && name.length <= longestTimeZone;
  if (!isForm || zones.some((zone) => zone.toLowerCase() === name.toLowerCase())) return false;
  try {
    // A second name of a zone, such as Asia/Calcutta, is not in the list.
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
});

/** A zone of the IANA database. EventBridge Scheduler distinguishes upper and lower case; JavaScript does not. */
function timeZone() {
  const fix = 'set {path} to a name of the IANA database such as "Asia/Seoul", or to "UTC"';
  return v.pipe(
    s.text(fix),
    s.check((got: string, path): Problem[] => {
      if (isTimeZone(got)) return [];
      const meant = nearest(got, [...Intl.supportedValuesOf("timeZone"), "UTC"]);
      const named = meant === undefined ? fix.replace("{path}", path) : `did you mean "${meant}"?`;
      const why = "Must be the name of a time zone in the IANA database; an offset would ignore daylight saving time.";
      return [{ code: "not-allowed", path, got, why, fix: named }];
    }),
  );
}

const topicArn = s.matching(
  /^arn:aws(-[a-z]+)*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/,
  "the ARN of an SNS topic",
  'set {path} to an ARN such as "arn:aws:sns:ap-northeast-2:123456789012:gpu-labs"',
);

/** The value of a tag that a cost filter selects. `$` separates key and value in such a filter. */
function tagValue(example: string) {
  return s.matching(
    /^[\p{L}\p{N}_.:/=+\-@ ]{1,256}$/u,
    "1 to 256 letters, digits, spaces and _ . : / = + - @",
    `set {path} to a name such as "${example}"`,
  );
}

const budget = s.section({
  /** Limit for a calendar month, 1 to 1000000: in USD, in the China Regions in CNY. */
  amountPerMonth: s.wholeNumber({ min: 1, max: 1_000_000 }),
  /**
   * Up to 10 addresses that get an email when the actual costs reach 80 % of the limit, and when the forecast reaches
   * 100 %.
   */
  emails: v.pipe(
    s.list(
      s.matching(
        /^[^@\s]{1,64}@[^@\s]+\.[^@\s.]+$/,
        "an email address",
        'set {path} to an address such as "lab@example.com"',
      ),
      '["lab@example.com"]',
      { notEmpty: true, distinct: true },
    ),
    s.check((emails: readonly unknown[], path): Problem[] => {
      if (emails.length <= 10) return [];
      const fix = `set ${path} to a mailing list`;
      return [{ code: "out-of-range", path, got: emails.length, why: "AWS Budgets accepts 10 addresses.", fix }];
    }),
  ),
});

/** When a lease terminates GPU nodes. */
export const leaseTimes = s.section({
  /**
   * Time of day at which all GPU nodes are terminated, each day: `HH:MM` from 00:00 to 23:59, or `none`.
   *
   * @default "22:00" - a forgotten session costs one evening
   * @change in place, seconds - The nightly schedule moves.
   */
  nightly: s.optional(
    s.matching(
      /^(([01]\d|2[0-3]):[0-5]\d|none)$/,
      "a time from 00:00 to 23:59, or none",
      'set {path} to a time such as "22:00", in quotes, or to "none"',
    ),
    "22:00",
  ),
  /**
   * Time zone of `nightly`: a name of the IANA database such as `Asia/Seoul`. Daylight saving time applies. Lab stacks
   * use Asia/Seoul.
   *
   * @default "UTC" - the zone of the user is not known
   * @change in place, seconds - The nightly schedule moves.
   */
  timeZone: s.optional(timeZone(), "UTC"),
  /**
   * End of the lease, at most 366 days ahead: a time such as `2026-12-01T18:00:00Z`, or a day, which ends at midnight
   * UTC. All GPU nodes are terminated then. After that, every update and every `gpu up` is rejected until you renew the
   * lease.
   *
   * @default none - the lease has no end, and only `nightly` terminates GPU nodes
   * @change in place, seconds - A schedule for the end is created or moves. Running instances keep their tag
   * `expires-at`.
   */
  expiresAt: s.optional(leaseEnd()),
});

/** When a lease terminates GPU nodes, and who is notified: settings that do not depend on the node groups. */
export const leaseSettings = s.section({
  ...leaseTimes.entries,
  /**
   * Hours after the last `eks-gpu-lab gpu up` at which the GPU nodes are terminated, 1 to 72. Nodes that you start in
   * another way are terminated at `nightly` or `expiresAt`.
   *
   * @default none - only `nightly` and `expiresAt` terminate GPU nodes
   * @change no change, seconds - The value applies from the next `gpu up` on.
   */
  hours: s.optional(s.wholeNumber({ min: 1, max: 72, unit: "hours" })),
  /**
   * Value of the tag `lab`, which the budget selects.
   * @default the name of the cluster - a cluster is one lab
   * @change rolling - The tags of instances and volumes change.
   */
  lab: s.optional(tagValue("gpu-lab")),
  /**
   * Value of the tag `owner`: who is responsible for the lab.
   * @default "unassigned" - the owner is not known
   * @change rolling - The tags of instances and volumes change.
   */
  owner: s.optional(tagValue("gpu-team"), "unassigned"),
  /**
   * ARNs of SNS topics that get a message when a schedule could not terminate the nodes. Subscribe your email address
   * to such a topic. @default [] - the alarm is visible only in CloudWatch, as each preview says
   * @change in place, seconds - The alarm of the lease notifies other topics.
   */
  alarmTopicArns: s.optional(s.inputList(s.list(s.input(topicArn), '["arn:aws:sns:…"]', { distinct: true })), []),
  /**
   * A monthly budget for everything with the tag `lab`: `amountPerMonth` and `emails`. First activate `lab` as a cost
   * allocation tag in the billing console; until then the budget counts nothing. AWS GovCloud (US) has no AWS Budgets.
   *
   * @default none - no budget
   * @see https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/activating-tags.html
   * @change in place, seconds - The budget is created, changed or deleted.
   */
  budget: s.optional(budget),
});

type Times = Pick<ValueOf<typeof leaseTimes>, "nightly" | "expiresAt">;

/** A lease that never ends a node. */
export function leaseConflicts({ nightly, expiresAt }: Times, at: string): Problem[] {
  if (nightly !== "none" || expiresAt !== undefined) return [];
  const path = join(at, "nightly");
  const why = `Without ${join(at, "expiresAt")}, the lease would never terminate a GPU node.`;
  const fix = `set ${path} to a time such as "22:00", or ${join(at, "expiresAt")} to a day`;
  return [{ code: "conflict", path, got: nightly, why, fix }];
}

/** More would not fit into the policy of the role, whose inline policies have at most 10,240 characters. */
const mostNodeGroups = 20;

const nodeGroup = s.section({
  /** Name of the node group in EKS. */
  nodeGroupName: resourceId("the name of the node group"),
  /**
   * Maximum number of nodes of the group, 1 to 450. The schedule states it together with the new sizes: EKS rejects 0.
   */
  maxSize: maxNodeCount(),
});

const nodeGroups = v.pipe(
  s.mapOf(nodeGroup, '{ gpu: { nodeGroupName: "gpu-1", maxSize: 2 } }'),
  s.check((groups: Readonly<Record<string, unknown>>, path): Problem[] => [
    ...countProblems(Object.keys(groups).length, path),
    ...Object.keys(groups).flatMap((key) => keyProblems(key, path)),
  ]),
);

function countProblems(got: number, path: string): Problem[] {
  if (got >= 1 && got <= mostNodeGroups) return [];
  const why = `Must name 1 to ${mostNodeGroups} node groups.`;
  const fix = got === 0 ? `add a group to ${path}` : "create a second LabLease for the other groups";
  return [{ code: got === 0 ? "missing" : "out-of-range", path, got, why, fix }];
}

/** The key is part of the name of a schedule, which has at most 64 characters. */
function keyProblems(key: string, path: string): Problem[] {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}$/.test(key)) return [];
  const why = "Must be up to 50 letters, digits and _ . -, beginning with a letter or digit: it is part of a name.";
  return [{ code: "not-allowed", path: step(path, key), got: key, why, fix: "choose a key such as gpu" }];
}

const labLeaseSection = s.section({
  /** Name of the cluster. */
  clusterName: clusterName(),
  /**
   * The node groups whose nodes the lease terminates, 1 to 20, by a name of your choice: their name in EKS and their
   * `maxSize`.
   */
  nodeGroups,
  ...leaseSettings.entries,
  /** Tags in addition to `lab`, `owner` and `expires-at`. @default {} - only these and Name */
  tags: s.optional(tagMap(), {}),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(
    transformOf<LabLeaseTransform>({
      ...{ scheduleGroup: true, schedule: true, role: true, rolePolicy: true },
      ...{ queue: true, queuePolicy: true, alarm: true, budget: true },
    }),
  ),
});

/** Arguments of a LabLease. */
export const labLease = v.pipe(labLeaseSection, s.conflict(["nightly", "expiresAt"], leaseConflicts));

export interface LabLeaseArgs extends Readonly<GivenOf<typeof labLease>> {}

export const labLeaseDefaults = defaultsOf(labLeaseSection);

/** Every problem in the arguments of a LabLease. Outputs are not checked. */
export function labLeaseProblems(args: LabLeaseArgs, at = ""): readonly Problem[] {
  return problemsIn(labLease, args, at);
}
