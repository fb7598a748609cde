import { isRecord } from "../components/core/reader/records";
import { nameTag, stackTag } from "../components/core/stack-tags";
import type { Listing } from "./leftover";
import { removable } from "./remove";
import type { StateResource } from "./state";

/** Commands that find the object of an interrupted create by its tags; none for an object without tags. */
export function findCommands({ inputs, name }: StateResource, { stack, region }: Listing): readonly string[] {
  const tags = inputs["tags"];
  if (!isRecord(tags) || !Object.hasOwn(tags, nameTag)) return [];
  const filters = `Key=${stackTag},Values=${stack ?? ""} Key=${nameTag},Values=${name}`;
  return [`aws resourcegroupstaggingapi get-resources --tag-filters ${filters} --region ${region}`];
}

/** Clusters that exist, that the state does not know, and that --delete would remove. */
export function runningNotes(listing: Listing): string[] {
  const running = removable(listing).filter((one) => one.isRunning === true);
  return running.map(
    ({ id }) => `The cluster ${id} exists and belongs to this environment. --delete ends it, and all that runs in it.`,
  );
}
