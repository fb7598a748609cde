import inputs from "./replacing-inputs.json";
import { parsedOrString } from "../../components/core/json-text";
import { step } from "../../components/core/reader/paths";
import { isRecord, ownValue } from "../../components/core/reader/records";

/** A property that differs between two plans; `undefined` where it is absent. */
export interface PropertyChange {
  /** Such as `scalingConfig.maxSize` or `tags["a.b"]`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
  /** Whether the change replaces the resource; absent where that is not known. */
  readonly replaces?: boolean;
}

/**
 * The smallest differing parts of two values, in the order of their paths. Compares the content of strings that are
 * JSON on both sides, such as IAM policies: whitespace and the order of keys make no difference.
 */
export function changesBetween(from: unknown, to: unknown): PropertyChange[] {
  return changes(from, to, "");
}

function changes(from: unknown, to: unknown, path: string): PropertyChange[] {
  if (Object.is(from, to)) return [];
  const [left, right] =
    typeof from === "string" && typeof to === "string" ? [parsedOrString(from), parsedOrString(to)] : [from, to];
  if (Array.isArray(left) && Array.isArray(right)) {
    const longest = left.length > right.length ? left : right;
    return longest.flatMap((_, index) => changes(left[index], right[index], step(path, index)));
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
    return keys.flatMap((key) => changes(ownValue(left, key), ownValue(right, key), step(path, key)));
  }
  return [{ path, from, to }];
}

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
