import type { Truth } from "../../components/core/reader/truth";
import type { Resource } from "./resource";
import { adviseIf, failIf, type Check, type Violation } from "./rule";

/** Where a value is. A reading also shows the value. */
interface Place {
  readonly path: string;
  readonly shown?: string;
}

/** What is wrong with a value. */
interface Fault extends Pick<Violation, "why" | "fix"> {
  /** @default the value, as the reading shows it */
  readonly got?: string;
}
type FaultAt<P extends Place> = P extends Required<Place> ? Fault : Required<Fault>;

/** A check of one value. */
export function failAt<P extends Place>(place: P, condition: Truth, fault: FaultAt<P>): Check {
  return failIf(condition, () => violationAt(place, fault));
}

/** The same, but it only warns. */
export function adviseAt<P extends Place>(place: P, condition: Truth, fault: FaultAt<P>): Check {
  return adviseIf(condition, () => violationAt(place, fault));
}

function violationAt({ path, shown: got = "" }: Place, fault: Fault): Violation {
  return { path, got, ...fault };
}

/** The checks of a stack rule for one resource. They are reported there, unless they name another resource. */
export function* on(resource: Resource, checks: Iterable<Check>): Iterable<Check> {
  for (const check of checks) yield { ...check, resource: check.resource ?? resource };
}

/** The checks of a stack rule for each of some resources. */
export function* onEach(
  resources: readonly Resource[],
  judge: (resource: Resource) => Iterable<Check>,
): Iterable<Check> {
  for (const resource of resources) yield* on(resource, judge(resource));
}
