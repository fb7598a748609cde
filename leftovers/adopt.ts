import { isRecord } from "../components/core/reader/records";
import type { Listing } from "./list";
import type { StateResource } from "./state";

/** An interrupted create, and the ID of the object in AWS that it created. */
export interface Adoption {
  readonly resource: StateResource;
  readonly id: string;
}

/** What happens with the interrupted creates of a state. */
export interface Adoptions {
  readonly adopt: readonly Adoption[];
  /** Nothing was created. */
  readonly drop: readonly StateResource[];
  /** Their kind cannot be read, so they stay. */
  readonly unknown: readonly StateResource[];
}

/** Sorts the interrupted creates by what AWS has. */
export function adoptionsOf({ leftovers, state, unfinished }: Listing): Adoptions {
  const found = leftovers.flatMap(({ adopts, id, pulumiId = id }) =>
    adopts ? [{ resource: adopts, id: pulumiId }] : [],
  );
  const derived = (state?.pending ?? []).flatMap((resource) =>
    resource.derivedId === undefined ? [] : [{ resource, id: resource.derivedId }],
  );
  const isDerived = (urn: string) => derived.some(({ resource }) => resource.urn === urn);
  const open = unfinished.filter(({ resource }) => !isDerived(resource.urn));
  return {
    adopt: [...found, ...derived],
    drop: open.flatMap(({ resource, exists }) => (exists === false ? [resource] : [])),
    unknown: open.flatMap(({ resource, exists }) => (exists === "unknown" ? [resource] : [])),
  };
}

/**
 * The document of `pulumi stack export` with interrupted creates as resources. `pulumi refresh` then reads what the state
 * lacks, and removes a resource without an object. The option --import-pending-creates of `pulumi refresh` does not do
 * this: it forgets the create.
 */
export function withAdoptions(document: unknown, { adopt, drop }: Adoptions): Record<string, unknown> {
  const { deployment, ...rest } = isRecord(document) ? document : {};
  if (!isRecord(deployment)) throw new Error("pulumi stack export prints no deployment");
  const { resources, pending_operations: operations, ...others } = deployment;
  const urnOf = (operation: unknown) =>
    isRecord(operation) && operation["type"] === "creating" && isRecord(operation["resource"])
      ? operation["resource"]
      : undefined;
  const pending: readonly unknown[] = Array.isArray(operations) ? operations : [];
  const idOf = (urn: unknown) => adopt.find(({ resource }) => resource.urn === urn)?.id;
  const adopted = pending.flatMap((operation) => {
    const resource = urnOf(operation);
    const id = idOf(resource?.["urn"]);
    return resource && id !== undefined ? [{ ...resource, id }] : [];
  });
  const isDone = (operation: unknown) => {
    const urn = urnOf(operation)?.["urn"];
    return idOf(urn) !== undefined || drop.some((one) => one.urn === urn);
  };
  const left = pending.filter((operation) => !isDone(operation));
  return {
    ...rest,
    deployment: {
      ...others,
      resources: [...(Array.isArray(resources) ? (resources as unknown[]) : []), ...adopted],
      ...(left.length > 0 && { pending_operations: left }),
    },
  };
}
