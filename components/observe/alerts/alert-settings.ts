import * as v from "valibot";
import { dnsLabel } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import {
  check,
  matching,
  optional,
  problemsIn,
  section,
  wholeNumber,
  type GivenOf,
  type ValueOf,
} from "../../core/schema";
import { join } from "../../core/reader/paths";

/** Where the alerts look, and their thresholds. */
export const alertSettings = section({
  /**
   * Namespace of the GPU Operator and of its DaemonSets.
   *
   * @default "gpu-operator" - the default of GpuOperator
   */
  operatorNamespace: optional(dnsLabel({ example: "gpu-operator" }), "gpu-operator"),
  /**
   * How long a GPU node, and the device plugin's DaemonSet, may take to start, in minutes: 1 to 120. Alerts do not expect
   * younger ones to advertise GPUs.
   *
   * @default 10 - joining takes two minutes, the first pull of the operator's images up to five more
   */
  startupMinutes: optional(wholeNumber({ min: 1, max: 120, unit: "minutes" }), 10),
  /**
   * Up to which age a node counts as new, in minutes: more than `startupMinutes`, at most 1440. A GPU that is missing
   * only on new nodes has another cause than one that is missing everywhere.
   *
   * @default 60 - the alert compares a session's nodes with those of the last hour
   */
  newNodeMinutes: optional(wholeNumber({ min: 2, max: 1440, unit: "minutes" }), 60),
  /**
   * How long a GPU node may run before an alert points out its cost, in hours: 1 to 720.
   *
   * @default 8 - a session that is longer than a working day was probably forgotten
   */
  longestNodeHours: optional(wholeNumber({ min: 1, max: 720, unit: "hours" }), 8),
  /**
   * How long all GPUs of a node may stay below `idlePercent` before the node counts as idle, in minutes: 10 to 1440.
   * Prometheus must keep metrics at least as long.
   *
   * @default 120 - a lunch break is shorter
   */
  idleMinutes: optional(wholeNumber({ min: 10, max: 1440, unit: "minutes" }), 120),
  /**
   * Utilization below which a GPU counts as idle, in percent: 1 to 100.
   *
   * @default 5 - a monitoring query causes one or two
   */
  idlePercent: optional(wholeNumber({ min: 1, max: 100, unit: "percent" }), 5),
  /**
   * How many restarts of a container in the operator's namespace are too many in an hour: 1 to 60.
   *
   * @default 5 - a crash loop at the longest back-off causes more than ten, a start that waits for other pods two or three
   */
  restartsPerHour: optional(wholeNumber({ min: 1, max: 60 }), 5),
  /**
   * How long a pod may wait for a GPU while GPU nodes are running, in minutes: 1 to 1440.
   *
   * @default 10 - a node that the Cluster Autoscaler adds advertises its GPU earlier
   */
  pendingMinutes: optional(wholeNumber({ min: 1, max: 1440, unit: "minutes" }), 10),
  /**
   * Where this project's folder `docs` is published: the https:// address that each alert's `runbook_url` begins with.
   *
   * @default none - alerts have no `runbook_url`
   */
  runbookBaseUrl: optional(
    matching(
      /^https:\/\/[\w.-]+(:\d+)?(\/[\w.~@%-]+)*$/,
      "an https:// address without blanks, quotes or braces, and without a slash at the end",
      'set {path} to an address such as "https://example.com/eks-gpu-lab/docs"',
    ),
  ),
});

export interface GpuAlertSettings extends Readonly<GivenOf<typeof alertSettings>> {}

/** Settings with all defaults filled in: expressions are built from them. */
export type AlertSettings = ValueOf<typeof alertSettings>;

/** Settings that contradict each other. */
export function alertSettingConflicts({ startupMinutes, newNodeMinutes: got }: AlertSettings, at: string): Problem[] {
  if (got > startupMinutes) return [];
  const path = join(at, "newNodeMinutes");
  const why = `Alerts ignore a node until it is ${startupMinutes} minutes old (startupMinutes), so no node would ever count as new.`;
  return [{ code: "conflict", path, got, why, fix: `set ${path} to more than ${startupMinutes}` }];
}

/** Settings of a rules file. */
export const rulesFileSettings = v.pipe(alertSettings, check(alertSettingConflicts));

/** Every problem in the settings of a rules file. */
export function rulesFileProblems(settings: GpuAlertSettings, at = ""): readonly Problem[] {
  return problemsIn(rulesFileSettings, settings, at);
}
