import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { overlaps, replacesResource, within, type ChangeKind } from "../../planner/diff/property-changes";
import type { ResourceModel } from "./model";

/** A changed input. */
export interface Change {
  /** E.g. `scalingConfig.maxSize`, `subnetIds[1]`. */
  readonly path: string;
  readonly kind: ChangeKind;
  /** Whether the change replaces the object. */
  readonly replaces: boolean;
}

/**
 * The changes between two versions of an object's inputs, as the provider reports them.
 *
 * @param ignored paths that are not compared
 * @param provider the configuration of the provider
 */
export function changesOf(
  { type, immutable = [], requiresReplace }: Pick<ResourceModel, "type" | "immutable" | "requiresReplace">,
  olds: Properties,
  news: Properties,
  ignored: readonly string[] = [],
  provider: Properties = {},
): Change[] {
  return differences(olds, news, "")
    .filter(({ path }) => !ignored.some((part) => within(path, part)))
    .map(({ path, kind }) => {
      const isImmutable = replacesResource(type, path, kind) || immutable.some((part) => overlaps(path, part));
      return { path, kind, replaces: isImmutable || requiresReplace?.(path, { inputs: news, provider }) === true };
    });
}

function differences(old: unknown, next: unknown, path: string): Omit<Change, "replaces">[] {
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

/** Quotes a key that contains a dot, as many tags and labels do: `tags["kubernetes.io/role/elb"]`. */
function joined(path: string, key: string): string {
  if (/[.[\]"]/.test(key) || key === "") return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
