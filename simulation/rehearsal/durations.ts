import type { SimulatedCloud } from "../cloud/simulated-cloud";

/** A resource of a state, with its dependencies. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly dependencies?: readonly string[] | undefined;
}

/** The operation on a resource. */
export interface TimedChange {
  readonly urn: string;
  readonly operation: "create" | "update" | "delete";
}

/**
 * Estimates how long operations take on AWS, in seconds: the longest chain of dependent resources, each with the usual
 * duration of its type.
 *
 * @param resources the resources of the state: after the run for creates, before the run for deletes
 */
export function estimateSeconds(
  cloud: SimulatedCloud,
  resources: readonly StateResource[],
  changes: readonly TimedChange[],
): number {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const operations = new Map(changes.map(({ urn, operation }) => [urn, operation]));
  const own = ({ urn, type }: StateResource) => {
    const operation = operations.get(urn);
    return operation === undefined ? 0 : (cloud.modelOf(type).seconds?.[operation] ?? 1);
  };
  // Deletes run along the same chain in the opposite direction, which takes the same time.
  const known = new Map<string, number>();
  const until = (urn: string): number => {
    const found = known.get(urn);
    if (found !== undefined) return found;
    known.set(urn, 0);
    const resource = byUrn.get(urn);
    const seconds = resource ? own(resource) + Math.max(0, ...(resource.dependencies ?? []).map(until)) : 0;
    known.set(urn, seconds);
    return seconds;
  };
  return Math.max(0, ...resources.map(({ urn }) => until(urn)));
}
