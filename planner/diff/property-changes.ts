import { parsedOrString } from "../../components/core/json-text";
import { isRecord, ownValue } from "../../components/core/reader/records";
import { step } from "../../components/core/reader/paths";

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
