import { compare, type Reading } from "../../../components/core/reader/reading";
import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import { matches } from "../../engine/glob";
import { numbers } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check, type Violation } from "../../engine/rule";
import { isEnded, schedule, schedulesGpus } from "../../facts/scaling-schedules";
import {
  gpuNodeGroup,
  instancesOf,
  nodeGroupTypes,
  scalingGroup,
  selfManagedGroups,
  sizeOf,
  sizesOf,
  typesOf,
  type SourceKind,
} from "../../facts/node-sources";
import { templateTypes } from "../../facts/launch-templates";
import { isGpuGroup, componentOf, nodeGroupsIn } from "../../facts/node-groups";

const groups = [gpuNodeGroup, ...nodeGroupTypes];

/** What a resource with a number of instances does, and what to do instead. */
interface Request extends Pick<Violation, "why" | "fix"> {
  /** @default failIf */
  readonly check?: typeof failIf;
  /** Where it does that. @default always */
  readonly where?: (request: Resource) => Truth;
}

const requests: Readonly<Record<Exclude<SourceKind, "component" | "managed" | "self-managed">, Request>> = {
  request: {
    why: "These GPU instances start with the next update and cost money until you remove them.",
    fix: "remove the resource, or use a node group or an Auto Scaling group with a desired size of 0",
  },
  reservation: {
    where: (reservation) => reservation.text("endDate").isAbsent,
    why: "A reservation without an end costs the same as its GPU instances, whether they run or not, until you cancel it.",
    fix: "set endDateType to limited and endDate to the end of the session, or remove the resource",
  },
  block: {
    // A program that names an offering buys it on purpose.
    check: adviseIf,
    why: "A Capacity Block is paid in full when the next update creates it, and cannot be cancelled.",
    fix: "remove the resource, and buy the block when you need it",
  },
  pool: {
    why: "Karpenter starts this number of GPU nodes with the next update, with or without pods.",
    fix: "remove spec.replicas: Karpenter then starts nodes for pods, and ends them after the pods",
  },
};

const requestOf: ReadonlyMap<string, Request> = new Map(
  (Object.keys(requests) as (keyof typeof requests)[]).flatMap((kind) =>
    typesOf(kind).map((type) => [type, requests[kind]] as const),
  ),
);

/**
 * With `ignoreChanges` on the desired size, the rule reads the size from Pulumi's state, which is probably that of a
 * running session and which an update does not change. The rule then checks the argument of the component; a group
 * without the component gets a warning. An Auto Scaling group counts if its mixed instances or its launch template have
 * a GPU instance type.
 *
 * Instances, spot requests, fleets and the replicas of a Karpenter NodePool start with the next update, and count like a desired
 * size. So do reservations without an end and Capacity Blocks, which cost money without instances, and warm pools that run. A scheduled
 * action that starts GPU nodes is only advised against if another one stops them.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
 */
export const gpuDesiredZero = stackRule({
  id: "gpu-desired-zero",
  title: "The program starts no GPU nodes; people or an autoscaler start them for a session.",
  severity: "high",
  incident: "a desired size of 2 stayed in the program after the lab, and two GPU nodes kept running without work",
  types: [...groups, ...templateTypes, ...requestOf.keys(), schedule],
  parameters: {
    allowStacks: numbers(
      {},
      "GPU nodes that a stack may keep in each group, by the name of the stack. `*` matches any text, `?` one character.",
    ),
  },
  *judge(stack, { allowStacks }, surroundings) {
    const allowed = allowedIn(surroundings.stack, allowStacks);
    const found = nodeGroupsIn(stack, groups);
    for (const group of found) yield* ofGroup(group, stack, allowed);
    for (const group of stack.ofType(scalingGroup)) yield ofWarmPool(group, stack, allowed);
    for (const request of stack.ofType(...requestOf.keys())) {
      yield ofRequest(request, requestOf.get(request.type) as Request, stack, allowed);
    }
    for (const one of stack.ofType(schedule)) yield* ofSchedule(one, found, stack, allowed);
  },
});

function* ofGroup(group: Resource, stack: Stack, allowed: number): Iterable<Check> {
  const isGpu = isGpuGroup(group, stack);
  const maker = componentOf(group, stack);
  const tooMany = (size: "min" | "desired", check: typeof failIf, why: string): Check => {
    const given = sizeOf(group, size);
    const isTooMany = given.is((nodes) => nodes > allowed);
    const isInParent = maker !== undefined && sizeOf(maker, size).is((nodes) => nodes > allowed);
    return check(
      all(isGpu, isTooMany, isInParent !== true),
      () => ({
        path: given.path,
        got: given.shown,
        why: `${why} This stack may keep ${allowed}.`,
        fix: `set ${given.path} to ${allowed}, and start nodes for a session: ${commandFor(group)}`,
      }),
      group,
    );
  };
  yield tooMany("min", failIf, "This number of GPU nodes runs permanently, even if you scale the group down.");
  const held = group.ignores(sizesOf(group.type)?.desired ?? "");
  if (held && group.isInside(gpuNodeGroup)) return;
  yield held && group.type !== gpuNodeGroup
    ? tooMany(
        "desired",
        adviseIf,
        "This number of GPU nodes runs, or starts when the group is created; ignoreChanges keeps the number of an existing group.",
      )
    : tooMany(
        "desired",
        failIf,
        "This number of GPU nodes starts with the next update and costs money until you stop them.",
      );
}

function ofRequest(
  request: Resource,
  { check = failIf, where, why, fix }: Request,
  stack: Stack,
  allowed: number,
): Check {
  const nodes = instancesOf(request);
  return check(
    all(
      isGpuGroup(request, stack),
      nodes.is((number) => number > allowed),
      where?.(request) ?? true,
    ),
    () => ({ path: nodes.path, got: nodes.shown, why: `${why} This stack may keep ${allowed}.`, fix }),
    request,
  );
}

/**
 * Instances of a warm pool that run wait outside of the desired capacity. Without a limit of its own, the pool has as many as the
 * group may still start.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-warm-pools.html
 */
function ofWarmPool(group: Resource, stack: Stack, allowed: number): Check {
  const pool = group.at("warmPool");
  const limit = pool.integer("maxGroupPreparedCapacity");
  const most = limit.isAbsent === true || limit.value === -1 ? group.integer("maxSize") : limit;
  const least = pool.integer("minSize").or(0);
  const state = pool.text("poolState");
  const running = sizeOf(group, "desired").or(group.integer("minSize").value ?? 0);
  return failIf(
    all(
      isGpuGroup(group, stack),
      state.is((word) => word === "Running"),
      any(
        least.is((nodes) => nodes > allowed),
        compare(running, most, (started, prepared) => prepared - started > allowed),
      ),
    ),
    () => ({
      path: state.path,
      got: `Running, with ${most.path} ${most.shown}`,
      why: `The GPU instances of the warm pool run and cost money, although the desired size does not count them. This stack may keep ${allowed}.`,
      fix: `set ${state.path} to Stopped: stopped instances cost only their volumes`,
    }),
    group,
  );
}

function* ofSchedule(one: Resource, groups: readonly Resource[], stack: Stack, allowed: number): Iterable<Check> {
  const isGpu = schedulesGpus(one, groups, stack);
  for (const size of ["minSize", "desiredCapacity"]) {
    const nodes = one.integer(size);
    const starts = all(
      isGpu,
      nodes.is((number) => number > allowed),
    );
    const ends = isEnded(one, stack, allowed);
    yield failIf(
      all(starts, not(ends)),
      () => scheduled(nodes, "No other schedule of the group stops them.", allowed),
      one,
    );
    yield adviseIf(
      all(starts, ends),
      () => scheduled(nodes, "They cost money until another schedule stops them.", allowed),
      one,
    );
  }
}

function scheduled({ path, shown }: Reading<number>, until: string, allowed: number): Violation {
  return {
    path,
    got: shown,
    why: `This number of GPU nodes starts at the scheduled time, with or without work. ${until} This stack may keep ${allowed}.`,
    fix: `set ${path} to ${allowed}, and add a schedule that sets desiredCapacity to ${allowed} if the group must scale by the clock`,
  };
}

/** The largest number of all matching names. */
function allowedIn(stack: string, allowStacks: Readonly<Record<string, number>>): number {
  const matching = Object.entries(allowStacks).filter(([pattern]) => matches(stack, pattern));
  return Math.max(0, ...matching.map(([, nodes]) => nodes));
}

/** Starts one node. A name that the program leaves to AWS, or that is known only after the update, is a placeholder. */
function commandFor(group: Resource): string {
  const named = (path: string, otherwise: string) => {
    const { value = "" } = group.text(path);
    return /^[\w.-]{1,128}$/.test(value) ? value : otherwise;
  };
  return selfManagedGroups.includes(group.type)
    ? `aws autoscaling set-desired-capacity --auto-scaling-group-name ${named("name", "<group>")} --desired-capacity 1`
    : `aws eks update-nodegroup-config --cluster-name ${named("clusterName", "<cluster>")} --nodegroup-name ${named("nodeGroupName", "<group>")} --scaling-config desiredSize=1`;
}
