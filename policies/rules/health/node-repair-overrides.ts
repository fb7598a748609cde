import { all, any, compare, equals, type Reader, type Reading } from "../../engine/values";
import { adviseAt, failAt, failIf, resourceRule, type Check, type Resource } from "../../engine/rule";
import { gpuNodeGroup, managedNodeGroup, nodeGroup } from "../../facts/node-sources";

/** The property with the overrides, and the names of their parts: those of the component, and those of EKS. */
const ofComponent = {
  list: "repair.overrides",
  condition: "condition",
  reason: "reason",
  action: "action",
  wait: "waitMinutes",
};
type Overrides = Readonly<typeof ofComponent>;
const ofEks: Overrides = {
  list: "nodeRepairConfig.nodeRepairConfigOverrides",
  condition: "nodeMonitoringCondition",
  reason: "nodeUnhealthyReason",
  action: "repairAction",
  wait: "minRepairWaitTimeMins",
};

const actions = ["Replace", "Reboot", "NoAction"] as const;
const shortestWait = 10;
const longestWait = 120;

/**
 * The API reference allows any wait time from one minute, but EKS accepts only 10 to 120 minutes in steps of 10. The
 * component sets a maximum by default. The rule reports the first wrong override of a list.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodeRepairConfigOverrides.html
 */
export const nodeRepairOverrides = resourceRule({
  id: "node-repair-overrides",
  title: "Node repair has valid actions and wait times, and a maximum number of nodes at once.",
  severity: "medium",
  incident: "the API reference allows a wait time of five minutes, but EKS rejected it during an update",
  types: [nodeGroup, managedNodeGroup, gpuNodeGroup],
  *judge(group) {
    const names = group.type === gpuNodeGroup ? ofComponent : ofEks;
    const overrides = group.list(names.list);
    for (const check of [ofParts, ofAction, ofWait]) yield firstOf(overrides, (override) => check(override, names));
    yield cap(group);
    for (const pair of [caps, thresholds]) yield notBoth(group, pair);
  },
});

/** Reports the first override with a fault. */
function firstOf(overrides: Reading<readonly Reader[]>, check: (override: Reader) => Check): Check {
  const checks = (overrides.value ?? []).map((override) => {
    const isObject = override.entries().is(() => true);
    const own = check(override);
    return { ...own, condition: all(isObject, own.condition) };
  });
  const isFaulty = overrides.is(() => any(...checks.map(({ condition }) => condition)));
  const first = checks.find(({ condition }) => condition === true);
  return failIf(isFaulty, () => (first as Check).violation());
}

function ofParts(override: Reader, { condition, reason, action, wait }: Overrides): Check {
  const parts = [condition, reason, action, wait].map((part) => ({ part, isAbsent: override.text(part).isAbsent }));
  const missing = parts.flatMap(({ part, isAbsent }) => (isAbsent === true ? part : []));
  return failAt(override, any(...parts.map(({ isAbsent }) => isAbsent)), {
    got: `nothing for ${missing.join(", ")}`,
    why: "EKS requires all parts of an override. It rejects the node group during the update.",
    fix: `set ${missing.map((part) => `${override.path}.${part}`).join(", ")}`,
  });
}

function ofAction(override: Reader, names: Overrides): Check {
  const action = override.choice(names.action, actions);
  return failAt(action, action.isMalformed, {
    why: "This action does not exist. EKS rejects the node group during the update.",
    fix: `set ${action.path} to one of ${actions.join(", ")}`,
  });
}

function ofWait(override: Reader, names: Overrides): Check {
  const wait = override.integer(names.wait);
  const isOut = wait.is((minutes) => minutes % 10 !== 0 || minutes < shortestWait || minutes > longestWait);
  return failAt(wait, any(wait.isMalformed, isOut), {
    why: `EKS accepts ${shortestWait} to ${longestWait} minutes in steps of 10. It rejects the node group during the update.`,
    fix: `set ${wait.path} to ${nearest(wait)}`,
  });
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
  const [number, percentage] = [config.integer(count), config.integer(share)];
  const hasBoth = compare(number, percentage, () => true);
  return failAt(percentage, hasBoth, {
    why: `${count} is also set, and EKS accepts only one of the two.`,
    fix: `remove ${config.path}.${share} or ${config.path}.${count}`,
  });
}

function cap(group: Resource): Check {
  const config = group.at("nodeRepairConfig");
  const isUncapped = all(...caps.map((name) => config.integer(name).isAbsent));
  const most = config.integer(caps[0]);
  return adviseAt(most, all(equals(config.boolean("enabled"), true), isUncapped), {
    why: "If the agent wrongly reports every node, EKS replaces all of them at once.",
    fix: `set ${most.path} to 1`,
  });
}
