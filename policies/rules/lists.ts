import { any, type Truth } from "../core/unknown";

/** Enough of the paths that an answer waits for. */
const mostPaths = 20;

/** Whether a condition holds for at least one item. Lists may be of any length. */
export function some<Item>(items: readonly Item[], condition: (item: Item) => Truth): Truth {
  const answers = items.map(condition);
  if (answers.includes(true)) return true;
  return any(...answers.filter((answer) => answer !== false).slice(0, mostPaths));
}
