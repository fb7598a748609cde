import { isRecord } from "../../components/core/reader/records";
/** A property that is not the same in two plans; `undefined` where it is not there. */
export interface PropertyChange {
  /** Such as `scalingConfig.maxSize` or `tags["a.b"]`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * The smallest parts that differ, in the order of their paths. Looks into texts that hold JSON on both sides, such as
 * IAM policies: a difference of spaces or of the order of keys is none.
 */
export function changesBetween(from: unknown, to: unknown): PropertyChange[] {
  return changes(from, to, "");
}

function changes(from: unknown, to: unknown, path: string): PropertyChange[] {
  if (Object.is(from, to)) return [];
  const [left, right] = [opened(from, to), opened(to, from)];
  if (Array.isArray(left) && Array.isArray(right)) {
    const longest = left.length > right.length ? left : right;
    return longest.flatMap((_, index) => changes(left[index], right[index], `${path}[${index}]`));
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
    return keys.flatMap((key) => changes(own(left, key), own(right, key), joined(path, key)));
  }
  return [{ path, from, to }];
}

/** The value inside a text of JSON when the other side is a text, too. */
function opened(value: unknown, other: unknown): unknown {
  if (typeof value !== "string" || typeof other !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Not what the object inherits: a property may be called `constructor`. */
function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function joined(path: string, key: string): string {
  if (!/^[\w() -]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
