import type { Leftover, Listing } from "./list";
import { removable } from "./remove";

/** The commands of the AWS CLI that remove an object, in order, with the waits that the next object needs. */
export function awsCommands(leftover: Leftover, region: string): string[] {
  const lines = [...leftover.steps.map(({ cli }) => cli), ...(leftover.wait ? [leftover.wait.cli] : [])];
  return lines.map((line) => `aws ${line} --region ${region}`);
}

/** All commands that remove what can be removed. */
export function removalCommands(listing: Listing): string[] {
  return removable(listing).flatMap((one) => awsCommands(one, listing.region));
}

/**
 * The command that ends the interrupted creates of a state: it adopts the objects that exist, and clears the others. Pulumi
 * takes pairs of a URN and an ID.
 */
export function adoptionCommand({ leftovers, unfinished }: Listing, stack: string): string | undefined {
  const pairs = leftovers.flatMap(({ adopts, id, pulumiId = id }) => (adopts ? [[adopts.urn, pulumiId]] : []));
  if (pairs.length === 0 && unfinished.length === 0) return undefined;
  const imports = pairs.flatMap(([urn, id]) => [
    `--import-pending-creates '${urn}'`,
    `--import-pending-creates '${id}'`,
  ]);
  const clear = unfinished.length > 0 ? ["--clear-pending-creates"] : [];
  return ["pulumi refresh --yes --stack", stack, ...imports, ...clear].join(" ");
}
