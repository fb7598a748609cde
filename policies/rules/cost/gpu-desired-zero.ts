import { numbers } from "../../core/parameters";
import type { Reading } from "../../core/reading";
import { adviseIf, failIf, resourceRule, type Check } from "../../core/rule";
import { all } from "../../core/unknown";
import { matches } from "../../core/glob";
import { gpuNodeGroup, isGpuGroup, managedNodeGroup, nodeGroup, nodeGroupV2, scalingGroup } from "../nodes/gpu-group";

/** Where a type keeps its sizes, and what is made of sizes that nobody states. */
interface Sizes {
  readonly desired: string;
  readonly min: string;
  readonly fallback?: { readonly desired: number; readonly min: number };
}

/** @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/ for what @pulumi/eks makes */
const byPulumiEks = { desired: 2, min: 1 };

const sizesOf: Readonly<Record<string, Sizes>> = {
  [gpuNodeGroup]: { desired: "desiredSize", min: "minSize" },
  [nodeGroup]: { desired: "scalingConfig.desiredSize", min: "scalingConfig.minSize" },
  [managedNodeGroup]: { desired: "scalingConfig.desiredSize", min: "scalingConfig.minSize", fallback: byPulumiEks },
  [nodeGroupV2]: { desired: "desiredCapacity", min: "minSize", fallback: byPulumiEks },
  [scalingGroup]: { desired: "desiredCapacity", min: "minSize" },
};

/**
 * Where `ignoreChanges` covers the desired size of a group, the size seen is the one of Pulumi's state: that of a
 * running session, most likely, which an update leaves alone. The component's own argument is judged instead; a group
 * without the component gets a warning. An Auto Scaling group counts where its mixed instances name a GPU type.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
 */
export const gpuDesiredZero = resourceRule({
  id: "gpu-desired-zero",
  title: "No program starts GPU nodes by itself; people or an autoscaler start them for a session.",
  severity: "high",
  incident: "a desired size of 2 stayed in the program after the lab, and two GPU nodes ran on with nothing to do",
  types: Object.keys(sizesOf),
  parameters: {
    allowStacks: numbers(
      {},
      "GPU nodes that a stack may keep in each group, by its name; * stands for any text, ? for one character.",
    ),
  },
  *judge(group, { allowStacks }, { stack }) {
    const sizes = sizesOf[group.type];
    if (!sizes) return;
    const allowed = allowedIn(stack, allowStacks);
    const isGpu = isGpuGroup(group);
    const tooMany = (given: Reading<number>, check: typeof failIf, why: string): Check =>
      check(
        all(
          isGpu,
          given.is((size) => size > allowed),
        ),
        () => ({
          path: given.path,
          got: given.shown,
          why: `${why} This stack may keep ${allowed}.`,
          fix: `set ${given.path} to ${allowed}, and start nodes for a session: ${commandFor(group.type)}`,
        }),
      );
    const { fallback } = sizes;
    const min = group.integer(sizes.min);
    yield tooMany(
      fallback ? min.or(fallback.min) : min,
      failIf,
      "So many GPU nodes never stop, whoever scales the group.",
    );
    const held = group.type !== gpuNodeGroup && group.ignores(sizes.desired);
    if (held && group.isInside(gpuNodeGroup)) return;
    const desired = group.integer(sizes.desired);
    yield tooMany(
      fallback ? desired.or(fallback.desired) : desired,
      held ? adviseIf : failIf,
      held
        ? "So many run, or will once the group is made: ignoreChanges keeps the running number of a group that exists."
        : "So many GPU nodes start with the next update, and bill until somebody stops them.",
    );
  },
});

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
