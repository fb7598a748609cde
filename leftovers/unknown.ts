import { nameTag, stackTag } from "../components/core/stack-tags";
import type { Listing } from "./list";
import type { StateResource } from "./state";

/** What an interrupted create may have left that this tool cannot find. */
export interface Hint {
  readonly cost: string;
  /** Commands that find the object by its tags, and that remove it. */
  readonly commands: readonly string[];
}

/** How a user finds and removes the object of an interrupted create. */
export function hintOf({ inputs, name }: StateResource, { stack, region }: Listing): Hint {
  const tags = inputs["tags"];
  const hasTags = typeof tags === "object" && tags !== null && Object.hasOwn(tags, nameTag);
  const filters = `Key=${stackTag},Values=${stack ?? ""} Key=${nameTag},Values=${name}`;
  const find = `aws resourcegroupstaggingapi get-resources --tag-filters ${filters} --region ${region}`;
  return { cost: "its cost is not known", commands: hasTags ? [find] : [] };
}
