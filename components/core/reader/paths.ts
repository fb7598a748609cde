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

/**
 * The value at a path such as `vpcConfig.clusterSecurityGroupId` or `identities.0.oidcs`. Everything below an unknown
 * value is unknown.
 */
export function valueAt(properties: Properties, path: string): unknown {
  let value: unknown = properties;
  for (const key of path.split(".")) {
    if (value === unknownSentinel) return unknownSentinel;
    if (Array.isArray(value)) value = (value as unknown[])[Number(key)];
    else if (isRecord(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}
