import { awsOptions } from "../sessions/group";
import type { Leftover, Listing } from "./leftover";
import { removable } from "./remove";

/**
 * The commands of the AWS CLI that remove an object, in order, with the waits that the next object needs. They have the
 * profile: names such as that of a cluster can exist in another account, too. There are none for what another lab may use.
 */
export function awsCommands(leftover: Leftover, at: Pick<Listing, "region" | "profile">): string[] {
  if (leftover.hasCommands === false) return [];
  const lines = [...leftover.steps.map(({ cli }) => cli), ...(leftover.wait ? [leftover.wait.cli] : [])];
  return lines.map((line) => `aws ${line} ${awsOptions(at)}`);
}

/** All commands that remove what can be removed. */
export function removalCommands(listing: Listing): string[] {
  return removable(listing).flatMap((one) => awsCommands(one, listing));
}

/** The command that ends the interrupted creates of a state; undefined if there are none. */
export function adoptionCommand({ state }: Listing, stack: string): string | undefined {
  return (state?.pending.length ?? 0) === 0 ? undefined : `npx eks-gpu-lab leftovers --stack ${stack} --adopt`;
}
