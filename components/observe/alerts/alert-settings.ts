import { join, keysOf, matching, wholeNumber } from "../../core/checks";
import type { Problem } from "../../core/problems";
import { dnsLabelProblems } from "../../workloads/shared/names";

/** Where the alerts look, and how much they bear. */
export interface GpuAlertSettings {
  /**
   * Namespace of the GPU Operator and of its DaemonSets.
   * @default "gpu-operator" - the default of GpuOperator
   */
  readonly operatorNamespace?: string;
  /**
   * How long a GPU node, and the device plugin's DaemonSet, may take to start, in minutes: 1 to 120. Younger ones are
   * not expected to offer GPUs.
   * @default 10 - joining takes two minutes, the first pull of the operator's images up to five more
   */
  readonly startupMinutes?: number;
  /**
   * Up to which age a node counts as new, in minutes: more than `startupMinutes`, at most 1440. A GPU that is missing
   * on new nodes alone has another cause than one that is missing everywhere.
   * @default 60 - a session's nodes are compared with those of the last hour
   */
  readonly newNodeMinutes?: number;
  /**
   * How long a GPU node may run before somebody is reminded of what it costs, in hours: 1 to 720.
   * @default 8 - a session that is longer than a working day was forgotten
   */
  readonly longestNodeHours?: number;
  /**
   * How long all GPUs of a node may stay below `idlePercent` before it counts as idle, in minutes: 10 to 1440. The
   * metrics must be kept as long.
   * @default 120 - a break for lunch is no reason to ask
   */
  readonly idleMinutes?: number;
  /**
   * Utilisation below which a GPU counts as idle, in percent: 1 to 100.
   * @default 5 - a monitoring query alone makes one or two
   */
  readonly idlePercent?: number;
  /**
   * How many restarts of a container in the operator's namespace are too many in an hour: 1 to 60.
   * @default 5 - a loop at the longest back-off makes more than ten; a start that waits for its neighbours two or three
   */
  readonly restartsPerHour?: number;
  /**
   * How long a pod may wait for a GPU while GPU nodes are up, in minutes: 1 to 1440.
   * @default 10 - a node that the Cluster Autoscaler adds offers its GPU in less
   */
  readonly pendingMinutes?: number;
  /**
   * Where the folder `docs` of this project is published: an https:// address, to which each alert's `runbook_url` leads.
   * @default none - alerts have no `runbook_url`, since a link that leads nowhere helps nobody
   */
  readonly runbookBaseUrl?: string;
}

export const gpuAlertSettingDefaults = {
  operatorNamespace: "gpu-operator",
  startupMinutes: 10,
  newNodeMinutes: 60,
  longestNodeHours: 8,
  idleMinutes: 120,
  idlePercent: 5,
  restartsPerHour: 5,
  pendingMinutes: 10,
} as const satisfies Required<Omit<GpuAlertSettings, "runbookBaseUrl">>;

/** For the list of what a component takes. */
export const gpuAlertSettingKeys = {
  operatorNamespace: true,
  startupMinutes: true,
  newNodeMinutes: true,
  longestNodeHours: true,
  idleMinutes: true,
  idlePercent: true,
  restartsPerHour: true,
  pendingMinutes: true,
  runbookBaseUrl: true,
} as const satisfies Record<keyof GpuAlertSettings, true>;

export const alertSettingNames = keysOf<GpuAlertSettings>(gpuAlertSettingKeys);

const ranges = {
  startupMinutes: { min: 1, max: 120, unit: "minutes" },
  newNodeMinutes: { min: 2, max: 1440, unit: "minutes" },
  longestNodeHours: { min: 1, max: 720, unit: "hours" },
  idleMinutes: { min: 10, max: 1440, unit: "minutes" },
  idlePercent: { min: 1, max: 100, unit: "percent" },
  restartsPerHour: { min: 1, max: 60 },
  pendingMinutes: { min: 1, max: 1440, unit: "minutes" },
} as const;

/** Everything that is wrong with the settings of the alerts. `given` has its defaults. */
export function gpuAlertSettingsProblems(given: Readonly<Record<string, unknown>>, at = ""): Problem[] {
  const numbers = Object.entries(ranges).flatMap(([key, range]) => wholeNumber(join(at, key), given[key], range));
  return [
    ...dnsLabelProblems(join(at, "operatorNamespace"), given["operatorNamespace"]),
    ...numbers,
    ...(numbers.length === 0 ? newerThanStarting(given, at) : []),
    ...runbookProblems(join(at, "runbookBaseUrl"), given["runbookBaseUrl"]),
  ];
}

function newerThanStarting({ startupMinutes, newNodeMinutes }: Readonly<Record<string, unknown>>, at: string) {
  if (Number(newNodeMinutes) > Number(startupMinutes)) return [];
  const path = join(at, "newNodeMinutes");
  const why = `A node is not judged before it is ${String(startupMinutes)} minutes old, so that none would ever count as new.`;
  const fix = `set ${path} to more than ${String(startupMinutes)}`;
  return [{ code: "conflict" as const, path, got: newNodeMinutes, why, fix }];
}

function runbookProblems(path: string, got: unknown): Problem[] {
  if (got === undefined || got === null) return [];
  const form = "an https:// address, with no blank, quote or brace, and no slash at its end";
  const fix = `set ${path} to an address such as "https://example.com/eks-gpu-lab/docs"`;
  return matching(path, got, /^https:\/\/[\w.-]+(:\d+)?(\/[\w.~@%-]+)*$/, form, fix);
}
