import type { LabName } from "../../stacks/labs";

// What happens to a running environment when a configuration key changes. docs/changes.md shows the table, a unit test
// requires a row for every key, and an engine test compares the rows with previews.

/**
 * `in place`: no node and no pod outside of the changed part ends. `rolling`: nodes are replaced one by one. `replaced`:
 * something is created again, and the existing one deleted. `refused`: the preview stops. `no change`: nothing in AWS.
 */
export type Effect = "in place" | "rolling" | "replaced" | "refused" | "no change";

/** What a change of one key does. */
export interface ChangeRow {
  readonly effect: Effect;
  /** What happens, and what is interrupted. */
  readonly what: string;
  /** Typical time. @default "-" - nothing waits for it */
  readonly time?: string;
  /** What it costs in addition, meanwhile and afterwards. @default "-" - nothing worth naming */
  readonly cost?: string;
  /** How an engine test makes the change, and what it must see; or which other test does, or why none can. */
  readonly proof: Proof | OtherTest | Unproven;
}

/** A preview on the engine. */
export interface Proof {
  /**
   * Changes with the same name are previewed together, with all parts of the environment. `unchanged`: the preview shows no
   * change. `refused`: each is previewed alone, and fails. `alone`: each is previewed alone, with `from` before it.
   */
  readonly preview: SharedPreview | "refused" | "alone";
  /** The stack of a change that is previewed alone. @default "gpu-lab" */
  readonly stack?: LabName;
  /** Configuration before a change that is previewed alone. @default none - that of the stack */
  readonly from?: readonly string[];
  /** `key=value` strings over the base configuration, as `pulumi config set --path` reads them. */
  readonly config: readonly string[];
  /** Beginnings of the lines that the preview must have, as `NodeGroup gpu-lab-gpu labels.x`; for `refused`, no lines. */
  readonly lines?: readonly string[];
}

export const sharedPreviews = [
  "nodes",
  "rolling",
  "replaced",
  "software",
  "removed",
  "kubernetes",
  "unchanged",
] as const;
export type SharedPreview = (typeof sharedPreviews)[number];

/** A test with another kind of stack. */
interface OtherTest {
  /** Its file, from the root of the project. */
  readonly file: string;
  readonly title: string;
}

/** A change that no test makes. The page says why. */
interface Unproven {
  readonly unproven: string;
}

export const gpu = "gpu-lab-gpu";
export const system = "gpu-lab-system";
export const operator = "Release gpu-lab-gpu-operator";
export const prometheus = "Release gpu-lab-monitoring";
export const perNode = "10 min per node";
export const helm = "1 to 5 min";
export const seconds = "seconds";

export const gpuRolling =
  "EKS drains and replaces the GPU nodes one by one, and their pods start again. Refused while pods hold GPUs. Without nodes, only the launch template or the group changes.";
const gpuReplaced =
  "A new group is created with `desiredSize` nodes, then the old one is deleted with its nodes. Refused while pods hold GPUs.";
export const systemRolling =
  "EKS starts new system nodes, then drains the old ones. Controllers and Prometheus restart, and Prometheus loses its metrics.";
export const systemReplaced =
  "A new group is created, then the old one is deleted. Controllers and Prometheus restart, and Prometheus loses its metrics.";
export const extraSystem = "both node sets meanwhile";
const bothGroups = "the nodes of both groups meanwhile";
export const clusterLost = "The cluster would be replaced, and the update fails halfway.";

/** A change of the environment that a preview with others shows. */
function shown(effect: Effect, preview: SharedPreview) {
  return (what: string, time: string, config: readonly string[], ...lines: string[]): ChangeRow => {
    return { effect, what, time, proof: { preview, config, lines } };
  };
}

export const inPlace = shown("in place", "nodes");
/** A part of the environment is switched on or off. */
export const switched = shown("in place", "removed");
export const software = shown("in place", "software");

export function rolling(config: string, ...lines: string[]): ChangeRow {
  return shown("rolling", "rolling")(gpuRolling, perNode, [config], ...lines);
}

export function rolledSystem(config: string, ...lines: string[]): ChangeRow {
  return { ...shown("rolling", "rolling")(systemRolling, perNode, [config], ...lines), cost: extraSystem };
}

export function replaced(config: readonly string[], line: string): ChangeRow {
  return { ...shown("replaced", "replaced")(gpuReplaced, "5 to 10 min", config, line), cost: bothGroups };
}

export function sized(key: string, group: string, what: string, value: number): ChangeRow {
  const config = [`${group === gpu ? "gpuNodes" : "systemNodes"}.${key}=${value}`];
  return inPlace(what, "1 min", config, `NodeGroup ${group} scalingConfig.${key}`);
}

export function upgrade(what: string, config: readonly string[], ...lines: string[]): ChangeRow {
  return software(what, helm, config, ...lines);
}

export function refused(what: string, ...config: string[]): ChangeRow {
  return { effect: "refused", what, proof: { preview: "refused", config } };
}

export function unchanged(what: string, config: string): ChangeRow {
  return { effect: "no change", what, proof: { preview: "unchanged", config: [config] } };
}

/** A change of a lab with its fault, from one configuration to another. */
export function ofLab(
  stack: LabName,
  from: readonly string[],
  config: readonly string[],
  ...lines: string[]
): Pick<ChangeRow, "effect" | "proof"> {
  return { effect: "in place", proof: { preview: "alone", stack, from, config, lines } };
}
