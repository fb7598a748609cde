import type { types } from "@pulumi/aws";
import { join, keysOf, onlyKeys } from "../core/checks";
import { isOutput, requirePlainValue } from "../core/outputs";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { listOf } from "./checks";

/** A number of nodes, or a share of the group's nodes such as `20%`. */
export type NodeLimit = number | `${number}%`;

/**
 * Lets EKS repair nodes that the node monitoring agent, or the kubelet's silence, reports as unhealthy.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html
 */
export interface NodeRepair {
  /**
   * Nodes repaired at once, 1 or more, or a share of the group.
   * @default 1 - a wrong setting must not take every node at once
   */
  readonly maxParallel?: NodeLimit;
  /**
   * Unhealthy nodes above which repair stops, 1 or more, or a share of the group. EKS's own brake (a fifth) works in
   * groups of more than five nodes only.
   *
   * @default the value of maxParallel - more nodes than that failing together are rarely broken hardware
   */
  readonly maxUnhealthy?: NodeLimit;
  /**
   * Other waits and actions for single reasons.
   * @default none - 10 minutes for GPUs, 30 for the rest, as EKS sets them
   */
  readonly overrides?: readonly RepairOverride[];
}

/** Another wait or action for one reason of one condition. */
export interface RepairOverride {
  readonly condition: RepairCondition;
  /** As the agent reports it, e.g. `NvidiaXID79Error`. */
  readonly reason: string;
  /** Minutes a node must be unhealthy: 10, 20 … 120. */
  readonly waitMinutes: number;
  readonly action: RepairAction;
}

const conditions = [
  "AcceleratedHardwareReady",
  "ContainerRuntimeReady",
  "KernelReady",
  "NetworkingReady",
  "StorageReady",
  "Ready",
] as const;
const actions = ["Replace", "Reboot", "NoAction"] as const;

export type RepairCondition = (typeof conditions)[number];
export type RepairAction = (typeof actions)[number];

/** Names that documentation uses, or used, for what the API calls otherwise. */
const hints: Readonly<Record<string, string>> = {
  AcceleratedInstanceNotReady: "AcceleratedHardwareReady",
  AcceleratedHardwareNotReady: "AcceleratedHardwareReady",
  NotReady: "Ready",
  Terminate: "Replace",
  Restart: "Reboot",
  None: "NoAction",
};

const shortestWait = 10;
const longestWait = 120;

type RepairConfig = types.input.eks.NodeGroupNodeRepairConfig;

/** `nodeRepairConfig` of an `aws.eks.NodeGroup`. Both limits are always stated; undefined leaves repair off. */
export function nodeRepairConfig(repair: NodeRepair | undefined): RepairConfig | undefined {
  if (!repair) return undefined;
  const maxParallel = repair.maxParallel ?? 1;
  const maxUnhealthy = repair.maxUnhealthy ?? maxParallel;
  return {
    enabled: true,
    ...(typeof maxParallel === "number"
      ? { maxParallelNodesRepairedCount: maxParallel }
      : { maxParallelNodesRepairedPercentage: Number.parseInt(maxParallel) }),
    ...(typeof maxUnhealthy === "number"
      ? { maxUnhealthyNodeThresholdCount: maxUnhealthy }
      : { maxUnhealthyNodeThresholdPercentage: Number.parseInt(maxUnhealthy) }),
    ...(repair.overrides?.length && {
      nodeRepairConfigOverrides: repair.overrides.map(({ condition, reason, waitMinutes, action }) => ({
        nodeMonitoringCondition: condition,
        nodeUnhealthyReason: reason,
        minRepairWaitTimeMins: waitMinutes,
        repairAction: action,
      })),
    }),
  };
}

const repairKeys = keysOf<NodeRepair>({ maxParallel: true, maxUnhealthy: true, overrides: true });
const overrideKeys = keysOf<RepairOverride>({ condition: true, reason: true, waitMinutes: true, action: true });

/** Problems of `repair` for a group of at most `maxSize` nodes, where that is known. */
export function nodeRepairProblems(got: unknown, path: string, maxSize?: number): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!isRecord(got)) {
    const fix = `set ${path} to an object such as { maxParallel: 1 }, or leave it out to keep repair off`;
    return [{ code: "wrong-type", path, got, why: "It must be an object.", fix }];
  }
  const { maxParallel, maxUnhealthy, overrides } = got;
  const enabled = `leave ${path} out to keep repair off, or give its settings to turn it on`;
  return [
    ...onlyKeys(path, got, repairKeys, { enabled }),
    ...limitProblems(maxParallel, join(path, "maxParallel"), maxSize),
    ...limitProblems(maxUnhealthy, join(path, "maxUnhealthy"), maxSize),
    ...orderProblems(maxParallel ?? 1, maxUnhealthy, path),
    ...(overrides === undefined ? [] : overridesProblems(overrides, join(path, "overrides"))),
  ];
}

function limitProblems(got: unknown, path: string, maxSize: number | undefined): Problem[] {
  if (got === undefined) return [];
  if (typeof got === "number" && Number.isInteger(got) && got >= 1) return [];
  const percent = typeof got === "string" ? /^([1-9]\d?|100)%$/.exec(got)?.[1] : undefined;
  if (percent === undefined) {
    const why = "It must be a whole number of nodes, 1 or more, or a share from 1% to 100%.";
    return [{ code: "not-allowed", path, got, why, fix: `set ${path} to 1` }];
  }
  if (maxSize === undefined || (maxSize * Number(percent)) / 100 >= 1) return [];
  const why = `Of ${maxSize} ${maxSize === 1 ? "node" : "nodes"} (maxSize) that is less than one.`;
  return [{ code: "conflict", path, got, why, fix: `set ${path} to a number of nodes, such as 1` }];
}

function orderProblems(maxParallel: unknown, maxUnhealthy: unknown, path: string): Problem[] {
  if (typeof maxParallel !== "number" || typeof maxUnhealthy !== "number" || !(maxUnhealthy < maxParallel)) return [];
  const why = `maxParallel is ${maxParallel}, which is never reached: repair stops above ${maxUnhealthy} unhealthy nodes.`;
  const fix = `set ${join(path, "maxUnhealthy")} to ${maxParallel} or more, or ${join(path, "maxParallel")} to ${maxUnhealthy}`;
  return [{ code: "conflict", path: join(path, "maxUnhealthy"), got: maxUnhealthy, why, fix }];
}

function overridesProblems(got: unknown, path: string): Problem[] {
  const example =
    '[{ condition: "AcceleratedHardwareReady", reason: "NvidiaXID79Error", waitMinutes: 10, action: "Reboot" }]';
  const list = listOf(got, path, example);
  if (!list.ok) return list.problems;
  return list.items.flatMap((item, index) => overrideProblems(item, `${path}[${index}]`, list.items.slice(0, index)));
}

function overrideProblems(got: unknown, path: string, earlier: readonly unknown[]): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!isRecord(got)) {
    const why = "It must be an object with condition, reason, waitMinutes and action.";
    return [{ code: "wrong-type", path, got, why, fix: "write all four: EKS takes no partial override" }];
  }
  const { condition, reason } = got;
  const again = earlier.some((one) => isRecord(one) && one["condition"] === condition && one["reason"] === reason);
  const why = "There is an override for this condition and reason already.";
  const twice: Problem = { code: "conflict", path, got, why, fix: `remove ${path}` };
  return [
    ...onlyKeys(path, got, overrideKeys),
    ...nameProblems(condition, `${path}.condition`, conditions),
    ...reasonProblems(reason, `${path}.reason`),
    ...waitProblems(got["waitMinutes"], `${path}.waitMinutes`),
    ...nameProblems(got["action"], `${path}.action`, actions),
    ...(again ? [twice] : []),
  ];
}

function nameProblems(got: unknown, path: string, allowed: readonly string[]): Problem[] {
  if (typeof got === "string" && allowed.includes(got)) return [];
  const meant = typeof got === "string" && Object.hasOwn(hints, got) ? hints[got] : undefined;
  const choices = allowed.map((name) => `"${name}"`).join(", ");
  const why = `It must be one of ${choices}.`;
  const fix = meant !== undefined && allowed.includes(meant) ? `write "${meant}"` : `set ${path} to one of them`;
  return [{ code: "not-allowed", path, got, why, fix }];
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html */
function reasonProblems(got: unknown, path: string): Problem[] {
  if (typeof got === "string" && /^[A-Za-z][A-Za-z0-9]*$/.test(got)) return [];
  const why = "It must be a reason the way the node monitoring agent reports it: letters and digits.";
  return [{ code: "not-allowed", path, got, why, fix: 'write a reason such as "NvidiaXID79Error"' }];
}

/** The API's documentation allows any wait from 1 minute on; EKS refuses those that are not 10, 20 … 120. */
function waitProblems(got: unknown, path: string): Problem[] {
  const why = `EKS takes ${shortestWait} to ${longestWait} minutes, in steps of ten.`;
  if (typeof got !== "number" || !Number.isFinite(got)) {
    return [{ code: "wrong-type", path, got, why, fix: `set ${path} to ${shortestWait}` }];
  }
  if (got % 10 === 0 && got >= shortestWait && got <= longestWait) return [];
  const bounded = Math.min(Math.max(got, shortestWait), longestWait);
  const near = [...new Set([Math.floor(bounded / 10) * 10, Math.ceil(bounded / 10) * 10])];
  return [{ code: "out-of-range", path, got, why, fix: `set ${path} to ${near.join(" or ")}` }];
}
