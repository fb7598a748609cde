import { isRecord } from "../../components/core/reader/records";
import type { Listing } from "./leftover";
import { isMadeAgain, recordsOf, type Adoption, type StateResource } from "../stack/state";

/** What happens with the interrupted creates of a state. */
interface Adoptions {
  readonly adopt: readonly Adoption[];
  /** Nothing was created, a second create changes nothing, or the state has another object in its place. */
  readonly drop: readonly StateResource[];
  /** It is not known whether AWS has them. They are dropped, too: `pulumi stack import` removes every interrupted create. */
  readonly unknown: readonly StateResource[];
}

/** Sorts the interrupted creates by what AWS has. */
export function adoptionsOf({ leftovers, state, unfinished, identified }: Listing): Adoptions {
  const found = leftovers.flatMap(({ adopts, id, pulumiId = id }) =>
    adopts ? [{ resource: adopts, id: pulumiId }] : [],
  );
  const derived = (state?.pending ?? []).flatMap((resource) =>
    resource.derivedId === undefined || (state && isMadeAgain(state, resource))
      ? []
      : [{ resource, id: resource.derivedId }],
  );
  const isDerived = (urn: string) => derived.some(({ resource }) => resource.urn === urn);
  const open = unfinished.filter(({ resource }) => !isDerived(resource.urn));
  return {
    adopt: [...found, ...identified, ...derived],
    drop: open.flatMap(({ resource, exists }) => (exists === false ? [resource] : [])),
    unknown: open.flatMap(({ resource, exists }) => (exists === "unknown" ? [resource] : [])),
  };
}

/**
 * The document of `pulumi stack export` with interrupted creates as resources. `pulumi refresh` then reads what the state
 * lacks, and removes a resource without an object. The option --import-pending-creates of `pulumi refresh` does not do
 * this: it forgets the create.
 */
export function withAdoptions(document: unknown, { adopt }: Pick<Adoptions, "adopt">): Record<string, unknown> {
  const { deployment, ...rest } = isRecord(document) ? document : {};
  if (!isRecord(deployment)) throw new Error("pulumi stack export does not print a deployment");
  const { resources, pending_operations: operations, ...others } = deployment;
  const adopted = recordsOf(operations).flatMap(({ type, resource }): State[] => {
    if (type !== "creating" || !isRecord(resource)) return [];
    const id = adopt.find((one) => one.resource.urn === resource["urn"])?.id;
    if (id === undefined) return [];
    // A preview reads names in the outputs, before a refresh completes them.
    const inputs = resource["inputs"];
    const isNamed = isRecord(inputs) && inputs["name"] === id;
    return [{ ...resource, id, ...(isNamed && { outputs: { name: id } }) }];
  });
  const all = adopted.reduce(withResource, recordsOf(resources));
  return { ...rest, deployment: { ...others, resources: all } };
}

type State = Readonly<Record<string, unknown>>;

/**
 * Adds a resource. If it replaces one, the old one is marked for deletion, as the engine does after the create: the next
 * update deletes it. One that the engine has already deleted is removed.
 */
function withResource(resources: State[], added: State): State[] {
  const index = resources.findIndex((one) => one["urn"] === added["urn"] && one["delete"] !== true);
  const old = resources[index];
  if (!old) return [...resources, added];
  const replaced = old["pendingReplacement"] === true ? [] : [{ ...old, delete: true }];
  return [...resources.slice(0, index), added, ...replaced, ...resources.slice(index + 1)];
}
