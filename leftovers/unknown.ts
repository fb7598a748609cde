import { isRecord } from "../components/core/reader/records";
import { nameTag, stackTag } from "../components/core/stack-tags";
import type { Listing } from "./list";
import type { StateResource } from "./state";

/** Commands that find the object of an interrupted create by its tags; none for an object without tags. */
export function findCommands({ inputs, name }: StateResource, { stack, region }: Listing): readonly string[] {
  const tags = inputs["tags"];
  if (!isRecord(tags) || !Object.hasOwn(tags, nameTag)) return [];
  const filters = `Key=${stackTag},Values=${stack ?? ""} Key=${nameTag},Values=${name}`;
  return [`aws resourcegroupstaggingapi get-resources --tag-filters ${filters} --region ${region}`];
}
