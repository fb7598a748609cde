import { valueAt } from "../../../components/core/reader/paths";
import { deepMerge, isRecord, ownValue } from "../../../components/core/reader/records";
import { type Properties, secretValue, unknownSentinel } from "../../../components/core/wire";
import type { CloudObject, ResourceModel } from "../../cloud/model";

/** The inputs and outputs of an object, without the internal ones, which begin with `__`. */
export function outputsOf({ inputs, computed }: CloudObject): Properties {
  const added = Object.entries(computed).filter(([key]) => !key.startsWith("__"));
  return deepMerge(inputs, Object.fromEntries(added));
}

/** The outputs that a preview of a create knows. */
export function plannedCreate({ computes = [] }: ResourceModel, inputs: Properties): Properties {
  return computes.reduce((outputs, path) => withDefaultAt(outputs, path, unknownSentinel), inputs);
}

/** The outputs that a preview of an update knows: all that the update does not change. */
export function plannedUpdate(
  model: ResourceModel,
  { inputs, oldInputs, oldOutputs }: { inputs: Properties; oldInputs: Properties; oldOutputs: Properties },
  changed: readonly string[],
): Properties {
  const again = model.recomputes?.(changed) ?? [];
  const added = Object.entries(oldOutputs).filter(([key]) => !Object.hasOwn(oldInputs, key));
  const kept = (model.computes ?? []).map((path) => [path, valueAt(oldOutputs, path)] as const);
  const filled = [...added, ...kept].reduce((outputs, [path, value]) => withDefaultAt(outputs, path, value), inputs);
  return again.reduce((outputs, path) => withValueAt(outputs, path, unknownSentinel), filled);
}

/** The outputs, with the model's secrets marked. */
export function withSecrets({ secrets = [] }: ResourceModel, outputs: Properties): Properties {
  return secrets.reduce((marked, path) => {
    const value = valueAt(marked, path);
    return value === undefined ? marked : withValueAt(marked, path, secretValue(value));
  }, outputs);
}

function withDefaultAt(outputs: Properties, path: string, value: unknown): Properties {
  return value === undefined || valueAt(outputs, path) !== undefined ? outputs : withValueAt(outputs, path, value);
}

/** The properties with another value at a path. Nothing changes below an unknown value. */
export function withValueAt(properties: Properties, path: string, value: unknown): Properties {
  const [key = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...properties, [key]: value };
  const inner = ownValue(properties, key);
  if (inner !== undefined && !isRecord(inner)) return properties;
  return { ...properties, [key]: withValueAt({ ...inner }, rest.join("."), value) };
}
