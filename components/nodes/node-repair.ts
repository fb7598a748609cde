import type { types } from "@pulumi/aws";
import * as v from "valibot";
import type { Problem } from "../core/problems";
import { s, type GivenOf, type Schema, type ValueOf } from "../core/schema";
import { join } from "../core/reader/paths";

/** A number of nodes, or a share of the group's nodes such as `20%`. */
export type NodeLimit = number | `${number}%`;

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
const documentedNames: Readonly<Record<string, string>> = {
  AcceleratedInstanceNotReady: "AcceleratedHardwareReady",
  AcceleratedHardwareNotReady: "AcceleratedHardwareReady",
  NotReady: "Ready",
  Terminate: "Replace",
  Restart: "Reboot",
  None: "NoAction",
};

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

/** A number of nodes, or a share of the group. */
function nodeLimit(): Schema<NodeLimit> {
  return v.pipe(
    s.anything<NodeLimit>(),
    s.check((got, path) => {
      if (typeof got === "number" && Number.isInteger(got) && got >= 1) return [];
      if (typeof got === "string" && percentOf(got) !== undefined) return [];
      const why = "Must be a whole number of nodes, 1 or more, or a share from 1% to 100%.";
      return [{ code: "not-allowed", path, got, why, fix: `set ${path} to 1` }];
    }),
  );
}

function percentOf(limit: string): number | undefined {
  const [, percent] = /^([1-9]\d?|100)%$/.exec(limit) ?? [];
  return percent === undefined ? undefined : Number(percent);
}

const wait = { shortest: 10, longest: 120 } as const;

/** The API documents any wait from 1 minute; EKS rejects those that are not 10, 20 … 120. */
function waitMinutes() {
  const why = `EKS accepts ${wait.shortest} to ${wait.longest} minutes, in steps of 10.`;
  return v.pipe(
    v.number(s.explain(why, `set {path} to ${wait.shortest}`)),
    s.check((got: number, path) => {
      if (got % 10 === 0 && got >= wait.shortest && got <= wait.longest) return [];
      const bounded = Math.min(Math.max(got, wait.shortest), wait.longest);
      const near = [...new Set([Math.floor(bounded / 10) * 10, Math.ceil(bounded / 10) * 10])];
      return [{ code: "out-of-range", path, got, why, fix: `set ${path} to ${near.join(" or ")}` }];
    }),
    s.formed("integer"),
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html */
const reason = s.matching(
  /^[A-Za-z][A-Za-z0-9]*$/,
  "a reason as the node monitoring agent reports it: letters and digits",
  'use a reason such as "NvidiaXID79Error"',
);

const override = s.section({
  /** The condition of the node. */
  condition: s.oneOf(conditions, documentedNames),
  /** The reason as the agent reports it, e.g. `NvidiaXID79Error`. */
  reason,
  /** Minutes a node must be unhealthy: 10, 20 … 120. */
  waitMinutes: waitMinutes(),
  /** The action of EKS on the node. */
  action: s.oneOf(actions, documentedNames),
});

const repair = s.section(
  {
    /**
     * Nodes repaired at once, 1 or more, or a share of the group.
     * @default 1 - a wrong setting must not replace every node at once
     */
    maxParallel: s.optional(nodeLimit(), 1),
    /**
     * Unhealthy nodes above which repair stops, 1 or more, or a share of the group. EKS's own limit (a fifth) applies to
     * groups of more than five nodes only.
     *
     * @default the value of maxParallel - if more nodes fail together, broken hardware is rarely the cause
     */
    maxUnhealthy: s.optional(nodeLimit()),
    /**
     * Other wait times and actions for individual reasons.
     * @default none - the defaults of EKS: 10 minutes for GPUs, 30 for the rest
     */
    overrides: s.optional(
      s.list(
        override,
        '[{ condition: "AcceleratedHardwareReady", reason: "NvidiaXID79Error", waitMinutes: 10, action: "Reboot" }]',
      ),
    ),
  },
  { enabled: "leave {at} out to keep repair off, or set its arguments to turn it on" },
);

/** Another wait or action for one reason of one condition. */
export interface RepairOverride extends Readonly<GivenOf<typeof override>> {}

/**
 * Allows EKS to repair nodes that the node monitoring agent reports as unhealthy, or whose kubelet does not respond.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html
 */
export interface NodeRepair extends Readonly<GivenOf<typeof repair>> {}

/** `repair` of a group: off where it is left out. */
export const nodeRepair = v.pipe(repair, s.check(repairConflicts));

function repairConflicts({ maxParallel, maxUnhealthy, overrides = [] }: ValueOf<typeof repair>, at: string): Problem[] {
  const path = join(at, "overrides");
  const again = overrides.flatMap((got, index): Problem[] => {
    const isSame = (one: RepairOverride) => one.condition === got.condition && one.reason === got.reason;
    if (overrides.findIndex(isSame) === index) return [];
    const why = "Another override already has this condition and reason.";
    return [{ code: "conflict", path: `${path}[${index}]`, got, why, fix: `remove ${path}[${index}]` }];
  });
  if (typeof maxParallel !== "number" || typeof maxUnhealthy !== "number" || maxUnhealthy >= maxParallel) return again;
  const why = `maxParallel is ${maxParallel}, but repair stops above ${maxUnhealthy} unhealthy nodes.`;
  const fix = `set ${join(at, "maxUnhealthy")} to ${maxParallel} or more, or ${join(at, "maxParallel")} to ${maxUnhealthy}`;
  return [{ code: "conflict", path: join(at, "maxUnhealthy"), got: maxUnhealthy, why, fix }, ...again];
}

/** Shares of a group of at most `maxSize` nodes that are less than one node. */
export function repairShareConflicts(given: NodeRepair | undefined, at: string, maxSize: number): Problem[] {
  return (["maxParallel", "maxUnhealthy"] as const).flatMap((key): Problem[] => {
    const got = given?.[key];
    const percent = typeof got === "string" ? percentOf(got) : undefined;
    if (percent === undefined || (maxSize * percent) / 100 >= 1) return [];
    const path = join(at, key);
    const why = `Must be at least one node: maxSize is ${maxSize}.`;
    return [{ code: "conflict", path, got, why, fix: `set ${path} to a number of nodes, such as 1` }];
  });
}
