import { nameTag, stackTag } from "../components/core/stack-tags";
import type { Listing } from "./list";
import type { StateResource } from "./state";

/** A type whose objects this tool cannot list: their cost, and the command of the AWS CLI that removes one. */
interface Unlisted {
  readonly cost: string;
  readonly remove: string;
}

const unlisted: Readonly<Record<string, Unlisted>> = {
  "aws:sqs/queue:Queue": { cost: "an empty queue costs nothing", remove: "sqs delete-queue --queue-url URL" },
  "aws:budgets/budget:Budget": {
    cost: "a budget without actions costs nothing",
    remove: "budgets delete-budget --account-id ACCOUNT --budget-name NAME",
  },
};

/** What an interrupted create may have left that this tool cannot find. */
export interface Hint {
  readonly cost: string;
  /** Commands that find the object by its tags, and that remove it. */
  readonly commands: readonly string[];
}

/** How a user finds and removes the object of an interrupted create. */
export function hintOf({ type, inputs, name }: StateResource, { stack, region }: Listing): Hint {
  const tags = inputs["tags"];
  const hasTags = typeof tags === "object" && tags !== null && Object.hasOwn(tags, nameTag);
  const filters = `Key=${stackTag},Values=${stack ?? ""} Key=${nameTag},Values=${name}`;
  const find = `aws resourcegroupstaggingapi get-resources --tag-filters ${filters} --region ${region}`;
  const { cost = "its cost is not known", remove } = unlisted[type] ?? {};
  return {
    cost,
    commands: [...(hasTags ? [find] : []), ...(remove === undefined ? [] : [withRegion(remove, region)])],
  };
}

function withRegion(command: string, region: string): string {
  return `aws ${command} --region ${region}`;
}
