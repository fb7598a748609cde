import { secretValue, unknownSentinel, type Properties } from "../../../components/core/wire";
import type { Kind, WorldObject } from "../../world/kind";
import { laidOver, valueAt, withValueAt } from "./nested";

/** All properties of an object: what was asked for and what the cloud added. Those that begin with `__` are the world's own. */
export function outputsOf({ inputs, computed }: WorldObject): Properties {
  const added = Object.entries(computed).filter(([key]) => !key.startsWith("__"));
  return laidOver(inputs, Object.fromEntries(added));
}

/** What is known of an object before it is made. */
export function plannedCreate({ computes = [] }: Kind, inputs: Properties): Properties {
  return computes.reduce((outputs, path) => filledIn(outputs, path, unknownSentinel), inputs);
}

/** What is known of an object before it is changed: everything that the change leaves as it is. */
export function plannedUpdate(
  kind: Kind,
  { inputs, oldInputs, oldOutputs }: { inputs: Properties; oldInputs: Properties; oldOutputs: Properties },
  changed: readonly string[],
): Properties {
  const again = kind.recomputes?.(changed) ?? [];
  const added = Object.entries(oldOutputs).filter(([key]) => !Object.hasOwn(oldInputs, key));
  const kept = (kind.computes ?? []).map((path) => [path, valueAt(oldOutputs, path)] as const);
  const filled = [...added, ...kept].reduce((outputs, [path, value]) => filledIn(outputs, path, value), inputs);
  return again.reduce((outputs, path) => withValueAt(outputs, path, unknownSentinel), filled);
}

/** The same properties, with those marked that the kind says are secret. */
export function withSecrets({ secrets = [] }: Kind, outputs: Properties): Properties {
  return secrets.reduce((marked, path) => {
    const value = valueAt(marked, path);
    return value === undefined ? marked : withValueAt(marked, path, secretValue(value));
  }, outputs);
}

function filledIn(outputs: Properties, path: string, value: unknown): Properties {
  return value === undefined || valueAt(outputs, path) !== undefined ? outputs : withValueAt(outputs, path, value);
}
