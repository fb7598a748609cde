import { isRecord } from "../../../components/core/reader/records";
import { unknownSentinel, type Properties } from "../../../components/core/wire";

/**
 * The value at a path of keys such as `vpcConfig.clusterSecurityGroupId` or `identities.0.oidcs`. Below an unknown value
 * everything is unknown.
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

/** The same properties with another value at a path. What lies below an unknown value stays unknown. */
export function withValueAt(properties: Properties, path: string, value: unknown): Properties {
  const [key = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...properties, [key]: value };
  const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (inner !== undefined && !isRecord(inner)) return properties;
  return { ...properties, [key]: withValueAt({ ...inner }, rest.join("."), value) };
}

/** One object laid over another, object by object; a list replaces a list. */
export function laidOver(under: Properties, over: Properties): Properties {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = under[key];
    merged[key] = isRecord(below) && isRecord(value) ? laidOver(below, value) : value;
  }
  return merged;
}
