import type { SimulatedCloud } from "../cloud/simulated-cloud";

/** A resource of a state, with what had to be there before it. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly dependencies?: readonly string[] | undefined;
}

/** A change of a resource: which operation of the cloud it takes. */
export interface TimedChange {
  readonly urn: string;
  readonly operation: "create" | "update" | "delete";
}

/**
 * How long changes take on AWS, in seconds: the longest chain of resources that wait for each other, each for the time
 * that its kind usually takes.
 *
 * @param resources everything in the state that the changes concern: after the run for creates, before it for deletes
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
  // A chain of deletes is the same chain from its other end, so one direction serves both.
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
