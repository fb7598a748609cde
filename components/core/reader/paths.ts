import { unknownSentinel, type Properties } from "../wire";
import { isRecord } from "./records";

/**
 * The values at a path such as `vpcId`, `launchTemplate.id` or `subnetIds[*]`. A path that does not exist, and an item
 * that is null, gives no value.
 */
export function valuesAt(properties: Properties, path: string): unknown[] {
  let values: unknown[] = [properties];
  for (const key of path.replaceAll("[*]", ".*").split(".")) {
    values = values.flatMap((value) => {
      if (key === "*") return Array.isArray(value) ? (value as unknown[]) : [];
      return isRecord(value) && Object.hasOwn(value, key) ? [value[key]] : [];
    });
  }
  return values.filter((value) => value !== undefined && value !== null);
}

/** `scalingConfig.maxSize`, or a list of keys if a key contains a dot: `["metadata", "labels", "helm.sh/chart"]`. */
export type Path = string | readonly string[];

/**
 * The value at a path such as `vpcConfig.clusterSecurityGroupId` or `identities.0.oidcs`; undefined where a step is
 * missing. Everything below an unknown value is unknown.
 */
export function valueAt(properties: unknown, path: Path): unknown {
  let value = properties;
  for (const key of typeof path === "string" ? path.split(".") : path) {
    if (value === unknownSentinel) return unknownSentinel;
    if (Array.isArray(value)) value = (value as unknown[])[Number(key)];
    else if (isRecord(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

/** `gpuNodes` and `maxSize` make `gpuNodes.maxSize`; with an empty parent, the result is the second path. */
export function join(at: string, path: string): string {
  return at === "" ? path : `${at}.${path}`;
}

/** The path of an item or a key of the value at a path: `a[0]`, `a.b`, or `a["b.c"]` for a key with other characters. */
export function step(at: string, key: string | number): string {
  if (typeof key === "number") return `${at}[${key}]`;
  return isPlain(key) ? join(at, key) : `${at}[${JSON.stringify(key)}]`;
}

const isPlain = remembered((key: string) => /^[\w-]+$/.test(key));

/** Remembers the results of a function: rules ask for the same few hundred paths of every resource. */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (made.size < 1000) made.set(text, value);
    return value;
  };
}
