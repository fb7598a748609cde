import { ownValue } from "../../components/core/reader/records";
import inputs from "./replacing-inputs.json";

/** The inputs of a type whose change replaces the resource. */
interface ReplacingInputs {
  readonly always: readonly string[];
  /** Inputs that replace it only where they are added or removed: the peer of a rule can change, but not its kind. */
  readonly presence?: readonly string[];
  /** Inputs that replace it only where they are removed: encryption can be added. */
  readonly removal?: readonly string[];
}

export type ChangeKind = "add" | "delete" | "update";

const replacing: Readonly<Record<string, ReplacingInputs>> = inputs;

/**
 * Whether a change of an input replaces a resource of AWS, as the provider states it. The table has the types that the stacks of
 * this project use; other types and their inputs are not known to be replaced.
 *
 * @param path such as `launchTemplate.id`
 */
export function replacesResource(type: string, path: string, kind: ChangeKind): boolean {
  const { always = [], presence = [], removal = [] } = ownValue(replacing, type) ?? {};
  if (always.some((part) => overlaps(path, part))) return true;
  if (kind === "delete" && removal.includes(path)) return true;
  return kind !== "update" && presence.some((part) => within(path, part));
}

/** Whether a change at one path changes the value at the other. */
export function overlaps(path: string, other: string): boolean {
  return within(path, other) || within(other, path);
}

/** Whether a path is another path or lies below it: `launchTemplate.version` is in `launchTemplate`, not in `launch`. */
export function within(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
}
