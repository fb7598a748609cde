import { all, any, compare, not, some, type Reading, type Truth } from "../../engine/values";
import { matches } from "../../engine/glob";
import { numbers } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { adviseAt, failAt, on, onEach, stackRule, type Check, type Violation } from "../../engine/rule";
import { clusterTypes } from "../../facts/clusters";
import {
  groupsNamedBy,
  instancesOf,
  isEnded,
  sizeOf,
  startingSize,
  warmPoolOf,
  type WarmPool,
} from "../../facts/node-counts";
import type { SourceKind } from "../../facts/node-source";
import { gpuNodeGroup, machinesOf, nodeGroupTypes, typesOf, warmPool } from "../../facts/node-sources";
import { machineTemplates, templateTypes } from "../../facts/launch-templates";
import { isGpuGroup, componentOf, nodeGroupsIn } from "../../facts/node-groups";

const schedules = typesOf("schedule");
const groups = [gpuNodeGroup, ...nodeGroupTypes, ...typesOf("sized")];

/** What a resource with a number of instances does, and what to do instead. */
interface Request extends Pick<Violation, "why" | "fix"> {
  /** @default failAt */
  readonly check?: typeof failAt;
  /** Where it does that. @default always */
  readonly where?: (request: Resource) => Truth;
}

const requests: Readonly<Partial<Record<SourceKind, Request>>> = {
  request: {
    why: "These GPU instances start with the next update and cost money until you remove them.",
    fix: "remove the resource, or use a node group or an Auto Scaling group with a desired size of 0",
  },
  reservation: {
    where: (reservation) => reservation.text("endDate").isAbsent,
    why: "A reservation without an end date costs the same as its GPU instances, whether they run or not, until you cancel it.",
    fix: "set endDateType to limited and endDate to the end of the session, or remove the resource",
  },
  host: {
    why: "A Dedicated Host costs money from the next update until you release it, with or without instances.",
    fix: "remove the resource, and allocate the host for a session",
  },
  block: {
    // A program that names an offering buys it on purpose.
    check: adviseAt,
    why: "A Capacity Block is paid in full when the next update creates it, and cannot be cancelled.",
    fix: "remove the resource, and buy the block when you need it",
  },
  pool: {
    why: "Karpenter starts this number of GPU nodes with the next update, with or without pods.",
    fix: "remove spec.replicas: Karpenter then starts nodes for pods, and terminates them after the pods",
  },
};

const requestTypes = typesOf(...(Object.keys(requests) as SourceKind[]));

/**
 * With `ignoreChanges` on the desired size, Pulumi's state contains the size of a running session. The rule then checks
 * the argument of the component; a group without the component gets a warning. An Auto Scaling group counts if its
 * mixed instances or its launch template have a GPU instance type.
 *
 * The rule also counts instances, spot requests, fleets, replicas of a Karpenter NodePool, reservations without an end,
 * Capacity Blocks, and running warm pools. A scheduled action that starts GPU nodes gets advice, unless another one
 * stops them.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
 */
export const gpuDesiredZero = stackRule({
  id: "gpu-desired-zero",
  title: "The program does not start GPU nodes; people or an autoscaler start them for a session.",
  severity: "high",
  incident: "a desired size of 2 stayed in the program after the lab, and two GPU nodes kept running without work",
  types: [...groups, warmPool, ...templateTypes, ...machineTemplates, ...requestTypes, ...schedules, ...clusterTypes],
  parameters: {
    allowStacks: numbers(
      {},
      "Number of GPU nodes that a stack may keep in each group, by stack name. `*` matches any text, `?` one character.",
    ),
  },
  *judge(stack, { allowStacks }, surroundings) {
    const allowed = allowedIn(surroundings.stack, allowStacks);
    const found = nodeGroupsIn(stack, groups);
    yield* onEach(found, (group) => ofGroup(group, stack, allowed));
    for (const group of found) {
      const pool = warmPoolOf(group, stack);
      if (pool) yield* on(pool.holder, [ofWarmPool(group, pool, stack, allowed)]);
    }
    yield* onEach(nodeGroupsIn(stack, requestTypes), (request) => ofRequest(request, stack, allowed));
    yield* onEach(stack.ofType(...schedules), (one) => ofSchedule(one, found, stack, allowed));
  },
});

function* ofGroup(group: Resource, stack: Stack, allowed: number): Iterable<Check> {
  const isGpu = isGpuGroup(group, stack);
  const maker = componentOf(group, stack);
  const tooMany = (size: "min" | "desired", check: typeof failAt, why: string): Check => {
    const given = sizeOf(group, size);
    const isInParent = maker !== undefined && exceeds(sizeOf(maker, size), allowed);
    return check(given, all(isGpu, exceeds(given, allowed), isInParent !== true), {
      why: `${why} This stack may keep ${allowed}.`,
      fix: `set ${given.path} to ${allowed}, and ${howToStart(group, stack)}`,
    });
  };
  yield tooMany("min", failAt, "This number of GPU nodes runs permanently, even if you scale the group down.");
  const held = group.ignores(machinesOf(group.type).sizes?.desired ?? "");
  if (held && group.isInside(gpuNodeGroup)) return;
  yield held && group.type !== gpuNodeGroup
    ? tooMany("desired", adviseAt, whyHeld)
    : tooMany("desired", failAt, whyStarted);
}

const whyHeld =
  "This number of GPU nodes runs, or starts when the group is created; ignoreChanges keeps the number of an existing group.";
const whyStarted = "This number of GPU nodes starts with the next update and costs money until you stop them.";

function exceeds(size: Reading<number>, allowed: number): Truth {
  return size.is((nodes) => nodes > allowed);
}

function* ofRequest(request: Resource, stack: Stack, allowed: number): Iterable<Check> {
  const { kind, sizes } = machinesOf(request.type);
  const described = kind && requests[kind];
  if (!described) return;
  const { check = failAt, where, why, fix } = described;
  const nodes = instancesOf(request);
  const isTooMany = all(isGpuGroup(request, stack), exceeds(nodes, allowed), where?.(request) ?? true);
  const ofSizes = sizes && `set ${nodes.path} to 0`;
  yield check(nodes, isTooMany, { why: `${why} This stack may keep ${allowed}.`, fix: ofSizes ?? fix });
}

/** A warm pool has its least size, or what the group may still start. */
function ofWarmPool(group: Resource, pool: WarmPool, stack: Stack, allowed: number): Check {
  const { state, isRunning, least, most } = pool;
  const growsBeyond = compare(startingSize(group).or(0), most, (started, prepared) => prepared - started > allowed);
  const isTooMany = any(exceeds(least, allowed), growsBeyond);
  const isOfEks = state.value === "RUNNING";
  return failAt(state, all(isGpuGroup(group, stack), isRunning, isTooMany), {
    got: `${isOfEks ? "RUNNING" : "Running"}, with ${most.path} ${most.shown}`,
    why: `The GPU instances of the warm pool run and cost money, although the desired size does not count them. This stack may keep ${allowed}.`,
    fix: `set ${state.path} to ${isOfEks ? "STOPPED" : "Stopped"}: stopped instances cost only their volumes`,
  });
}

function* ofSchedule(one: Resource, groups: readonly Resource[], stack: Stack, allowed: number): Iterable<Check> {
  const isGpu = some(groupsNamedBy(one, groups), (group) => isGpuGroup(group, stack));
  for (const size of ["minSize", "desiredCapacity"]) {
    const nodes = one.integer(size);
    const starts = all(isGpu, exceeds(nodes, allowed));
    const ends = isEnded(one, stack, allowed);
    const fault = (until: string) => ({
      why: `This number of GPU nodes starts at the scheduled time, with or without work. ${until} This stack may keep ${allowed}.`,
      fix: `set ${nodes.path} to ${allowed}, or let another schedule set desiredCapacity to ${allowed} if the group must scale on a schedule`,
    });
    yield failAt(nodes, all(starts, not(ends)), fault("No other schedule of the group stops them."));
    yield adviseAt(nodes, all(starts, ends), fault("They cost money until another schedule stops them."));
  }
}

/** The largest number of all matching names. */
function allowedIn(stack: string, allowStacks: Readonly<Record<string, number>>): number {
  const matching = Object.entries(allowStacks).filter(([pattern]) => matches(stack, pattern));
  return Math.max(0, ...matching.map(([, nodes]) => nodes));
}

/** The name in AWS of what Crossplane creates. */
const externalName = ["metadata", "annotations", "crossplane.io/external-name"];
const groupNames = ["nodeGroupName", "nodegroupName", "eksNodegroupName", "name"];

/** The command starts one node. A name that the program leaves to AWS, or that is known only after the update, is a placeholder. */
function howToStart(group: Resource, stack: Stack): string {
  const { kind } = machinesOf(group.type);
  if (kind === "sized") return "raise it for a session";
  // A cluster of @pulumi/eks is given as its URN.
  const urns = [...["cluster", "clusterName"].flatMap((key) => group.dependenciesOf(key)), group.text("cluster").value];
  const clusters = stack.ofType(...clusterTypes).filter(({ urn }) => urns.includes(urn));
  const named = (holders: readonly Resource[], paths: readonly string[], otherwise: string) =>
    holders
      .flatMap((holder) => paths.map((path) => holder.text(path).value ?? ""))
      .find((value) => /^[\w.-]{1,128}$/.test(value)) ?? otherwise;
  const cluster = named([group], ["clusterName"], named(clusters, ["name"], "CLUSTER"));
  const external = group.within().text(externalName).value;
  const command =
    kind === "self-managed"
      ? `aws autoscaling set-desired-capacity --auto-scaling-group-name ${named([group], ["name", "autoScalingGroupName"], external ?? "GROUP")} --desired-capacity 1`
      : `aws eks update-nodegroup-config --cluster-name ${cluster} --nodegroup-name ${named([group], groupNames, external ?? "GROUP")} --scaling-config desiredSize=1`;
  return `start nodes for a session: ${command}`;
}
