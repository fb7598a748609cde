import { valueAt } from "../../../components/core/reader/paths";
import { isRecord } from "../../../components/core/reader/records";
import { type Properties, secretValue, unknownSentinel } from "../../../components/core/wire";
import type { CloudObject, ResourceModel } from "../../cloud/model";

/** All properties of an object: what was asked for and what the cloud added. Those that begin with `__` are the cloud's own. */
export function outputsOf({ inputs, computed }: CloudObject): Properties {
  const added = Object.entries(computed).filter(([key]) => !key.startsWith("__"));
  return deepMerge(inputs, Object.fromEntries(added));
}

/** What is known of an object before it is made. */
export function plannedCreate({ computes = [] }: ResourceModel, inputs: Properties): Properties {
  return computes.reduce((outputs, path) => withDefaultAt(outputs, path, unknownSentinel), inputs);
}

/** What is known of an object before it is changed: everything that the change leaves as it is. */
export function plannedUpdate(
  kind: ResourceModel,
  { inputs, oldInputs, oldOutputs }: { inputs: Properties; oldInputs: Properties; oldOutputs: Properties },
  changed: readonly string[],
): Properties {
  const again = kind.recomputes?.(changed) ?? [];
  const added = Object.entries(oldOutputs).filter(([key]) => !Object.hasOwn(oldInputs, key));
  const kept = (kind.computes ?? []).map((path) => [path, valueAt(oldOutputs, path)] as const);
  const filled = [...added, ...kept].reduce((outputs, [path, value]) => withDefaultAt(outputs, path, value), inputs);
  return again.reduce((outputs, path) => withValueAt(outputs, path, unknownSentinel), filled);
}

/** The same properties, with those marked that the kind says are secret. */
export function withSecrets({ secrets = [] }: ResourceModel, outputs: Properties): Properties {
  return secrets.reduce((marked, path) => {
    const value = valueAt(marked, path);
    return value === undefined ? marked : withValueAt(marked, path, secretValue(value));
  }, outputs);
}

function withDefaultAt(outputs: Properties, path: string, value: unknown): Properties {
  return value === undefined || valueAt(outputs, path) !== undefined ? outputs : withValueAt(outputs, path, value);
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
export function deepMerge(under: Properties, over: Properties): Properties {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = under[key];
    merged[key] = isRecord(below) && isRecord(value) ? deepMerge(below, value) : value;
  }
  return merged;
}
