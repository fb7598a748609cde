import type { Reading } from "../../../components/core/reader/reading";
import { all, not } from "../../../components/core/reader/truth";
import { matches } from "../../engine/glob";
import { numbers } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check, type Violation } from "../../engine/rule";
import { isEnded, requestedInstances, requestTypes, schedule, schedulesGpus } from "../../facts/instance-requests";
import { templateTypes } from "../../facts/launch-templates";
import {
  gpuNodeGroup,
  isGpuGroup,
  componentOf,
  managedNodeGroup,
  nodeGroup,
  nodeGroupsIn,
  selfManagedGroups,
  sizesOf,
} from "../../facts/node-groups";

const groups = [gpuNodeGroup, nodeGroup, managedNodeGroup, ...selfManagedGroups];

/**
 * With `ignoreChanges` on the desired size, the rule reads the size from Pulumi's state, which is probably that of a
 * running session and which an update does not change. The rule then checks the argument of the component; a group
 * without the component gets a warning. An Auto Scaling group counts if its mixed instances or its launch template have
 * a GPU instance type.
 *
 * Instances, spot requests and fleets with GPUs start with the next update, and count like a desired size. A scheduled
 * action that starts GPU nodes is only advised against if another one stops them.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
 */
export const gpuDesiredZero = stackRule({
  id: "gpu-desired-zero",
  title: "The program starts no GPU nodes; people or an autoscaler start them for a session.",
  severity: "high",
  incident: "a desired size of 2 stayed in the program after the lab, and two GPU nodes kept running without work",
  types: [...groups, ...templateTypes, ...requestTypes, schedule],
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
    for (const request of stack.ofType(...requestTypes)) yield ofRequest(request, stack, allowed);
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
        fix: `set ${given.path} to ${allowed}, and start nodes for a session: ${commandFor(group.type)}`,
      }),
      group,
    );
  };
  yield tooMany("min", failIf, "This number of GPU nodes runs permanently, even if you scale the group down.");
  const held = group.ignores(sizesOf[group.type]?.desired ?? "");
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

function ofRequest(request: Resource, stack: Stack, allowed: number): Check {
  const nodes = requestedInstances(request);
  return failIf(
    all(
      isGpuGroup(request, stack),
      nodes.is((number) => number > allowed),
    ),
    () => ({
      path: nodes.path,
      got: nodes.shown,
      why: `These GPU instances start with the next update and cost money until you remove them. This stack may keep ${allowed}.`,
      fix: "remove the resource, or use a node group or an Auto Scaling group with a desired size of 0",
    }),
    request,
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

/** A size of a group, or its default. */
function sizeOf(group: Resource, size: "min" | "desired"): Reading<number> {
  const sizes = sizesOf[group.type];
  const given = group.integer(sizes?.[size]);
  return sizes?.defaults ? given.or(sizes.defaults[size]) : given;
}

/** The largest number of all matching names. */
function allowedIn(stack: string, allowStacks: Readonly<Record<string, number>>): number {
  const matching = Object.entries(allowStacks).filter(([pattern]) => matches(stack, pattern));
  return Math.max(0, ...matching.map(([, nodes]) => nodes));
}

function commandFor(type: string): string {
  return selfManagedGroups.includes(type)
    ? "aws autoscaling set-desired-capacity --desired-capacity <n>"
    : "aws eks update-nodegroup-config --scaling-config desiredSize=<n>";
}
