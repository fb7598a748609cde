import { valueAt } from "../../../components/core/reader/paths";
import { deepMerge, isRecord, ownValue } from "../../../components/core/reader/records";
import { type Properties, secretValue, unknownSentinel } from "../../../components/core/wire";
import type { CloudObject, Request, ResourceModel } from "../../cloud/model";

/** The inputs and outputs of an object, without the internal ones, which begin with `__`. */
export function outputsOf({ inputs, computed }: CloudObject): Properties {
  const added = Object.entries(computed).filter(([key]) => !key.startsWith("__"));
  return deepMerge(inputs, Object.fromEntries(added));
}

/** The outputs that a preview of a create knows. Those that the cloud adds are unknown until the object exists. */
export function plannedCreate(model: ResourceModel, request: Request): Properties {
  return withAdded(request.inputs, addedOutputs(model, request), () => unknownSentinel);
}

/** The outputs that a preview of an update knows: all that the update does not change. */
export function plannedUpdate(
  model: ResourceModel,
  { id, oldInputs, oldOutputs, ...request }: Request & { id: string; oldInputs: Properties; oldOutputs: Properties },
  changed: readonly string[],
): Properties {
  const again = model.recomputes?.(changed) ?? [];
  const outputs = Object.entries(oldOutputs).filter(([key]) => !Object.hasOwn(oldInputs, key));
  const kept = withAdded(request.inputs, addedOutputs(model, request, id), (path) => valueAt(oldOutputs, path));
  const filled = { ...Object.fromEntries(outputs), ...kept };
  return again.reduce((planned, path) => withValueAt(planned, path, unknownSentinel), filled);
}

/** What the cloud adds to the inputs. Its values are those of an object that does not exist. */
function addedOutputs({ type, computed, derivedOutputs }: ResourceModel, request: Request, id = ""): Properties {
  const outputs = computed?.(request, id, undefined) ?? {};
  return { ...derivedOutputs?.({ type, id, inputs: request.inputs, computed: outputs }, request.cloud), ...outputs };
}

/** The inputs with a value for each output that is none of them, also inside of an input. Undefined values are left out. */
function withAdded(inputs: Properties, added: Properties, valueOf: (path: string) => unknown, at = ""): Properties {
  const values = Object.entries(added).flatMap(([key, output]) => {
    const given = ownValue(inputs, key);
    if (key.startsWith("__") || (given !== undefined && !(isRecord(given) && isRecord(output)))) return [];
    const path = `${at}${key}`;
    const value = isRecord(given) && isRecord(output) ? withAdded(given, output, valueOf, `${path}.`) : valueOf(path);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...inputs, ...Object.fromEntries(values) };
}

/** The outputs, with the model's secrets marked. */
export function withSecrets({ secrets = [] }: ResourceModel, outputs: Properties): Properties {
  return secrets.reduce((marked, path) => {
    const value = valueAt(marked, path);
    return value === undefined ? marked : withValueAt(marked, path, secretValue(value));
  }, outputs);
}

/** The properties with another value at a path. Nothing changes below an unknown value. */
export function withValueAt(properties: Properties, path: string, value: unknown): Properties {
  const [key = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...properties, [key]: value };
  const inner = ownValue(properties, key);
  if (inner !== undefined && !isRecord(inner)) return properties;
  return { ...properties, [key]: withValueAt({ ...inner }, rest.join("."), value) };
}
