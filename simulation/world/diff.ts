import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import type { Kind } from "./kind";
import { touches, within } from "./paths";

export type ChangeKind = "add" | "delete" | "update";

/** One input that differs. */
export interface Change {
  /** E.g. `scalingConfig.maxSize`, `subnetIds[1]`. */
  readonly path: string;
  readonly kind: ChangeKind;
  /** The object must be replaced for it. */
  readonly replaces: boolean;
}

/** What else decides what a change means. */
export interface Circumstances {
  /** Paths that are not compared. */
  readonly ignored?: readonly string[];
  /** The configuration of the provider. */
  readonly provider?: Properties;
}

/** What a provider answers when it is asked what new inputs mean for an object. */
export function changesOf(
  kind: Kind,
  olds: Properties,
  news: Properties,
  { ignored = [], provider = {} }: Circumstances = {},
): Change[] {
  return differences(olds, news, "")
    .filter(({ path }) => !ignored.some((part) => within(path, part)))
    .map(({ path, kind: change }) => ({
      path,
      kind: change,
      replaces:
        (kind.immutable ?? []).some((part) => touches(path, part)) ||
        kind.replaces?.(path, change, { inputs: news, provider }) === true,
    }));
}

interface Difference {
  readonly path: string;
  readonly kind: ChangeKind;
}

function differences(old: unknown, next: unknown, path: string): Difference[] {
  if (isDeepStrictEqual(old, next)) return [];
  if (isRecord(old) && isRecord(next)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])];
    return keys.flatMap((key) => differences(old[key], next[key], joined(path, key)));
  }
  if (Array.isArray(old) && Array.isArray(next)) {
    const length = Math.max(old.length, next.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      differences(old[index], next[index], `${path}[${index}]`),
    );
  }
  return [{ path, kind: old === undefined ? "add" : next === undefined ? "delete" : "update" }];
}

/** A key with a dot in it, as many tags and labels have, is quoted: `tags["kubernetes.io/role/elb"]`. */
function joined(path: string, key: string): string {
  if (/[.[\]"]/.test(key) || key === "") return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
