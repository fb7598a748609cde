import { table } from "../planner/report/markdown-syntax";
import { configurationDocs } from "./config-docs";

// What happens to a running environment when a configuration key changes: the table of docs/changes.md. The docstring of a
// key says it: `@change EFFECT, TIME - what happens, and what is interrupted`, and `@changeCost` what it costs meanwhile.
// An engine test compares the effects with previews.

/**
 * `in place`: no node and no pod outside of the changed part ends. `rolling`: nodes are replaced one by one. `replaced`:
 * something is created again, and the existing one deleted. `refused`: the preview stops. `no change`: nothing in AWS.
 */
const effects = ["in place", "rolling", "replaced", "refused", "no change"] as const;
export type Effect = (typeof effects)[number];

/** What a change of one key does. */
interface Change {
  readonly effect: Effect;
  readonly what: string;
  /** Typical time; undefined if nothing waits for it. */
  readonly time: string | undefined;
  /** What it costs in addition, meanwhile and afterwards; undefined if nothing is worth naming. */
  readonly cost: string | undefined;
}

const perNode = "10 min per node";
const perGroup = "5 to 10 min";
const bothSets = "both node sets meanwhile";
const rollingGpuNodes =
  "EKS drains and replaces the GPU nodes one by one, and their pods start again. Refused while pods hold GPUs. Without nodes, only the launch template or the group changes.";
const restarts = "Controllers and Prometheus restart, and Prometheus loses its metrics.";

/** How nodes are replaced, by the section of the key and the effect. A key of no such section replaces all nodes. */
const nodeChanges: Readonly<Record<string, Omit<Change, "effect">>> = {
  "gpuNodes rolling": { what: rollingGpuNodes, time: perNode, cost: undefined },
  "gpuNodes replaced": {
    what: "A new group is created with `desiredSize` nodes, then the old one is deleted with its nodes. Refused while pods hold GPUs.",
    time: perGroup,
    cost: "the nodes of both groups meanwhile",
  },
  "systemNodes rolling": {
    what: `EKS starts new system nodes, then drains the old ones. ${restarts}`,
    time: perNode,
    cost: bothSets,
  },
  "systemNodes replaced": {
    what: `A new group is created, then the old one is deleted. ${restarts}`,
    time: perGroup,
    cost: bothSets,
  },
  rolling: { what: `${rollingGpuNodes} The system nodes are replaced, too.`, time: perNode, cost: bothSets },
};

/** The keys of the AWS provider that say where the environment is. */
const providerChanges: Readonly<Record<string, string>> = {
  "aws:region":
    "refused - The environment is not in the other region. Use another stack there, or destroy first. The variable `AWS_REGION` counts, too, where the key is not set.",
  "aws:profile":
    "refused - Refused if the profile is one of another account. In the same account, other credentials act. The variable `AWS_PROFILE` counts, too.",
};

/**
 * The changes by key, in the order of the page. A section has none of its own: its keys have.
 *
 * @throws Error for a key whose docstring does not say what a change does.
 */
export function changesByKey(): ReadonlyMap<string, Change> {
  const docs = configurationDocs();
  const isSection = (key: string) => !key.includes(".") && docs.some(({ path }) => path.startsWith(`${key}.`));
  const own = docs.filter(({ path }) => path.split(".").length <= 2 && !isSection(path));
  const changes = own.map((doc) => [doc.path, changeOf(doc.path, doc.changeText, doc.changeCost)] as const);
  const ofProvider = Object.entries(providerChanges).map(([key, text]) => [key, changeOf(key, text)] as const);
  return new Map([...changes, ...ofProvider]);
}

/** Reads `rolling, 10 min per node - It is a tag.` Only the effect is required where it says all about the nodes. */
function changeOf(key: string, text = "", ownCost?: string): Change {
  const [head = "", ...sentences] = text.replace(/\s+/g, " ").split(" - ");
  const [name = "", ...times] = head.split(", ");
  const effect = effects.find((each) => each === name);
  if (!effect)
    throw new Error(`The docstring of ${key} needs @change with one of: ${effects.join(", ")}; got "${text}"`);
  const ownTime = times.length > 0 ? times.join(", ") : undefined;
  const nodes = ownTime === undefined ? nodeChange(key, effect) : undefined;
  const what = [sentences.join(" - "), nodes?.what].filter(Boolean).join(" ");
  return { effect, what, time: ownTime ?? nodes?.time, cost: ownCost ?? nodes?.cost };
}

function nodeChange(key: string, effect: Effect): Omit<Change, "effect"> | undefined {
  const [section = ""] = key.split(".");
  return nodeChanges[`${section} ${effect}`] ?? nodeChanges[effect];
}

/** The table of docs/changes.md. */
export function changeDocs(): string {
  const rows = [...changesByKey()].map(([key, { effect, what, time = "-", cost = "-" }]) => [
    `\`${key}\``,
    effect === "refused" ? "**refused**" : effect,
    what,
    time,
    cost,
  ]);
  return table(["key", "effect", "what happens, and what is interrupted", "typical time", "cost meanwhile"], rows);
}
