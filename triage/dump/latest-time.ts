import type { Condition } from "../objects/common";
import { allObjects, type KubernetesObject, type Objects } from "../objects/kinds";

/**
 * The newest time that stands in the objects: the best guess of when they were read, where nobody noted it. A node's
 * own heartbeat is not among what is kept, so ages counted from it can be short by minutes.
 *
 * @returns undefined where there is no time in them
 */
export function latestTime(objects: Objects): string | undefined {
  const times = allObjects(objects)
    .flatMap((object) => [
      object.metadata.creationTimestamp,
      ...(object.kind === "Event" ? [object.lastTimestamp] : []),
      ...conditionsOf(object).map(({ lastTransitionTime }) => lastTransitionTime),
    ])
    .map((time) => Date.parse(time ?? ""))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : new Date(times.reduce((one, other) => Math.max(one, other))).toISOString();
}

function conditionsOf(object: KubernetesObject): readonly Condition[] {
  return "status" in object && "conditions" in object.status ? (object.status.conditions ?? []) : [];
}
