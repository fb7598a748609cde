import { isRecord } from "../../components/core/reader/records";
import { nameTag, stackTag } from "../../components/core/stack-tags";
import { shellText } from "../../components/core/text";
import { awsOptions } from "../gpu/group";
import type { Leftover, Listing } from "./leftover";
import { removable } from "./remove";
import type { StateResource } from "../stack/state";

/**
 * The commands of the AWS CLI that remove an object, in order, with the waits that the next object needs. They have the
 * profile: names such as that of a cluster can exist in another account, too. There are none for what another lab may use.
 */
export function awsCommands(leftover: Leftover, at: Pick<Listing, "region" | "profile">): string[] {
  if (leftover.hasCommands === false) return [];
  const lines = [...leftover.steps.map(({ cli }) => cli), ...(leftover.wait ? [leftover.wait.cli] : [])];
  return lines.map((line) => `aws ${line} ${awsOptions(at)}`);
}

/** The command that ends the interrupted creates of a state; undefined if there are none. */
export function adoptionCommand({ state }: Listing, stack: string): string | undefined {
  return (state?.pending.length ?? 0) === 0 ? undefined : `npx eks-gpu-lab leftovers --stack ${stack} --adopt`;
}

/** Commands that find the object of an interrupted create by its tags; none for an object without tags. */
export function findCommands({ inputs, name }: StateResource, { stack, region }: Listing): readonly string[] {
  const tags = inputs["tags"];
  if (!isRecord(tags) || !Object.hasOwn(tags, nameTag)) return [];
  const filters = shellText([`Key=${stackTag},Values=${stack ?? ""}`, `Key=${nameTag},Values=${name}`]);
  return [`aws resourcegroupstaggingapi get-resources --tag-filters ${filters} --region ${region}`];
}

/** Clusters that exist, that the state does not know, and that --delete would remove. */
export function runningNotes(listing: Listing): string[] {
  const running = removable(listing).filter((one) => one.isRunning === true);
  return running.map(
    ({ id }) =>
      `The cluster ${id} exists and belongs to this environment. --delete removes it and everything that runs in it.`,
  );
}
