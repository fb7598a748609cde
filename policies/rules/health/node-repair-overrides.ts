import { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, type Truth } from "../../../components/core/reader/truth";
import type { Resource } from "../../engine/resource";
import { adviseIf, failIf, resourceRule, type Check, type Violation } from "../../engine/rule";
import { gpuNodeGroup, managedNodeGroup, nodeGroup } from "../../facts/node-sources";

/** The property with the overrides of a type, and the names of their parts. */
interface Overrides {
  readonly list: string;
  readonly condition: string;
  readonly reason: string;
  readonly action: string;
  readonly wait: string;
}

const ofComponent: Overrides = {
  list: "repair.overrides",
  condition: "condition",
  reason: "reason",
  action: "action",
  wait: "waitMinutes",
};
const ofEks: Overrides = {
  list: "nodeRepairConfig.nodeRepairConfigOverrides",
  condition: "nodeMonitoringCondition",
  reason: "nodeUnhealthyReason",
  action: "repairAction",
  wait: "minRepairWaitTimeMins",
};

const overridesOf: Readonly<Record<string, Overrides>> = {
  [nodeGroup]: ofEks,
  [managedNodeGroup]: ofEks,
  [gpuNodeGroup]: ofComponent,
};

const actions = ["Replace", "Reboot", "NoAction"] as const;
const shortestWait = 10;
const longestWait = 120;

/**
 * The API reference allows any wait time from one minute, but EKS accepts only 10 to 120 minutes in steps of 10. The
 * component sets a maximum by default. Reports the first wrong override of a list.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodeRepairConfigOverrides.html
 */
export const nodeRepairOverrides = resourceRule({
  id: "node-repair-overrides",
  title: "Node repair has valid actions and wait times, and a maximum of nodes at once.",
  severity: "medium",
  incident: "the API reference allows a wait time of five minutes, but EKS rejected it during an update",
  types: Object.keys(overridesOf),
  *judge(group) {
    const names = overridesOf[group.type];
    if (!names) return;
    const overrides = group.list(names.list);
    yield firstOf(overrides, isIncomplete(names), (override) => missingFault(override, names));
    yield firstOf(overrides, isInvalidAction(names), (override) => actionFault(override.choice(names.action, actions)));
    yield firstOf(overrides, isInvalidWait(names), (override) => waitFault(override.integer(names.wait)));
    yield cap(group);
    for (const pair of [caps, thresholds]) yield notBoth(group, pair);
  },
});

/** Reports the first override that meets a condition. */
function firstOf(
  overrides: Reading<readonly Reader[]>,
  condition: (override: Reader) => Truth,
  fault: (override: Reader) => Violation,
): Check {
  const meets = (override: Reader) =>
    all(
      override.entries().is(() => true),
      condition(override),
    );
  return failIf(
    overrides.is((items) => any(...items.map(meets))),
    () => fault(overrides.value?.find((item) => meets(item) === true) ?? new Reader(undefined)),
  );
}

function partsOf({ condition, reason, action, wait }: Overrides): string[] {
  return [condition, reason, action, wait];
}

function isIncomplete(names: Overrides) {
  return (override: Reader) => any(...partsOf(names).map((part) => override.text(part).isAbsent));
}

function missingFault(override: Reader, names: Overrides): Violation {
  const missing = partsOf(names).filter((part) => override.text(part).isAbsent === true);
  return {
    path: override.path,
    got: `nothing for ${missing.join(", ")}`,
    why: "EKS requires all parts of an override. It rejects the node group during the update.",
    fix: `set ${missing.map((part) => `${override.path}.${part}`).join(", ")}`,
  };
}

function isInvalidAction({ action }: Overrides) {
  return (override: Reader) => override.choice(action, actions).isMalformed;
}

function actionFault(action: Reading<string>): Violation {
  return {
    path: action.path,
    got: action.shown,
    why: "This action does not exist. EKS rejects the node group during the update.",
    fix: `set ${action.path} to one of ${actions.join(", ")}`,
  };
}

function isInvalidWait({ wait }: Overrides) {
  return (override: Reader) => {
    const minutes = override.integer(wait);
    return any(
      minutes.isMalformed,
      minutes.is((value) => value % 10 !== 0 || value < shortestWait || value > longestWait),
    );
  };
}

function waitFault(wait: Reading<number>): Violation {
  return {
    path: wait.path,
    got: wait.shown,
    why: `EKS accepts ${shortestWait} to ${longestWait} minutes in steps of 10. It rejects the node group during the update.`,
    fix: `set ${wait.path} to ${nearest(wait)}`,
  };
}

function nearest({ value }: Reading<number>): string {
  if (value === undefined) return String(shortestWait);
  const bounded = Math.min(Math.max(value, shortestWait), longestWait);
  return [...new Set([Math.floor(bounded / 10) * 10, Math.ceil(bounded / 10) * 10])].join(" or ");
}

const caps = ["maxParallelNodesRepairedCount", "maxParallelNodesRepairedPercentage"] as const;
const thresholds = ["maxUnhealthyNodeThresholdCount", "maxUnhealthyNodeThresholdPercentage"] as const;

/** EKS accepts a number or a percentage, not both. */
function notBoth(group: Resource, [count, share]: readonly [string, string]): Check {
  const config = group.at("nodeRepairConfig");
  return failIf(all(...[count, share].map((name) => config.integer(name).is(() => true))), () => ({
    path: `${config.path}.${share}`,
    got: config.integer(share).shown,
    why: `${count} is set too, and EKS accepts only one of the two.`,
    fix: `remove ${config.path}.${share} or ${config.path}.${count}`,
  }));
}

function cap(group: Resource): Check {
  const config = group.at("nodeRepairConfig");
  return adviseIf(
    all(
      config.boolean("enabled").is((on) => on),
      ...caps.map((name) => config.integer(name).isAbsent),
    ),
    () => ({
      path: `${config.path}.${caps[0]}`,
      got: "nothing",
      why: "If the agent wrongly reports every node, EKS replaces all of them at once.",
      fix: `set ${config.path}.${caps[0]} to 1`,
    }),
  );
}
