import type { Reading } from "../../../components/core/reader/reading";
import { all } from "../../../components/core/reader/truth";
import { matches } from "../../engine/glob";
import { numbers } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import {
  gpuNodeGroup,
  isGpuGroup,
  makerOf,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
  scalingGroup,
  sizesOf,
} from "../../facts/node-groups";

const groups = [gpuNodeGroup, nodeGroup, managedNodeGroup, nodeGroupV2, scalingGroup];

/**
 * Where `ignoreChanges` covers the desired size of a group, the size seen is the one of Pulumi's state: that of a
 * running session, most likely, which an update leaves alone. The component's own argument is judged instead; a group
 * without the component gets a warning. An Auto Scaling group counts where its mixed instances, or its launch template, name a GPU type.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
 */
export const gpuDesiredZero = stackRule({
  id: "gpu-desired-zero",
  title: "No program starts GPU nodes by itself; people or an autoscaler start them for a session.",
  severity: "high",
  incident: "a desired size of 2 stayed in the program after the lab, and two GPU nodes ran on with nothing to do",
  types: [...groups, launchTemplate],
  parameters: {
    allowStacks: numbers(
      {},
      "GPU nodes that a stack may keep in each group, by its name; * stands for any text, ? for one character.",
    ),
  },
  *judge(stack, { allowStacks }, surroundings) {
    const allowed = allowedIn(surroundings.stack, allowStacks);
    for (const group of stack.ofType(...groups)) yield* ofGroup(group, stack, allowed);
  },
});

function* ofGroup(group: Resource, stack: Stack, allowed: number): Iterable<Check> {
  const isGpu = isGpuGroup(group, stack);
  const maker = makerOf(group, stack);
  const tooMany = (size: "min" | "desired", check: typeof failIf, why: string): Check => {
    const given = sizeOf(group, size);
    const isTooMany = given.is((nodes) => nodes > allowed);
    const isEcho = maker !== undefined && sizeOf(maker, size).is((nodes) => nodes > allowed);
    return check(
      all(isGpu, isTooMany, isEcho !== true),
      () => ({
        path: given.path,
        got: given.shown,
        why: `${why} This stack may keep ${allowed}.`,
        fix: `set ${given.path} to ${allowed}, and start nodes for a session: ${commandFor(group.type)}`,
      }),
      group,
    );
  };
  yield tooMany("min", failIf, "So many GPU nodes never stop, whoever scales the group.");
  const held = group.ignores(sizesOf[group.type]?.desired ?? "");
  if (held && group.isInside(gpuNodeGroup)) return;
  yield held && group.type !== gpuNodeGroup
    ? tooMany(
        "desired",
        adviseIf,
        "So many run, or will once the group is made: ignoreChanges keeps the running number of a group that exists.",
      )
    : tooMany("desired", failIf, "So many GPU nodes start with the next update, and bill until somebody stops them.");
}

/** A size of a group, or what is made of one that nobody states. */
function sizeOf(group: Resource, size: "min" | "desired"): Reading<number> {
  const sizes = sizesOf[group.type];
  const given = group.integer(sizes?.[size]);
  return sizes?.unstated ? given.or(sizes.unstated[size]) : given;
}

/** The most that any matching name allows. */
function allowedIn(stack: string, allowStacks: Readonly<Record<string, number>>): number {
  const matching = Object.entries(allowStacks).filter(([pattern]) => matches(stack, pattern));
  return Math.max(0, ...matching.map(([, nodes]) => nodes));
}

function commandFor(type: string): string {
  return type === scalingGroup || type === nodeGroupV2
    ? "aws autoscaling set-desired-capacity --desired-capacity <n>"
    : "aws eks update-nodegroup-config --scaling-config desiredSize=<n>";
}
