/**
 * Values that are known only after the update, and conditions on them.
 *
 * During a preview the engine sends one of these strings instead of such a value, depending on the type of the value.
 * The Node.js SDK sends the string of `text` for every type.
 * @see https://github.com/pulumi/pulumi/blob/v3.248.0/sdk/go/common/resource/plugin/rpc.go
 */
export const unknownSentinels = {
  boolean: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  text: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  list: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  asset: "030794c1-ac77-496b-92df-f27374a8bd58",
  archive: "e48ece36-62e2-4504-bad9-02848725956a",
  object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
} as const;

const sentinels: ReadonlySet<unknown> = new Set(Object.values(unknownSentinels));

/** Whether a value is a placeholder for a value that is known only after the update. */
export function isUnknown(value: unknown): boolean {
  return sentinels.has(value);
}

/**
 * The answer to a condition that cannot be given yet, and the paths of the values it waits for. Without paths, another
 * program sets the value, and no verdict is possible.
 */
export class Undetermined {
  constructor(readonly paths: readonly string[]) {}
}

/**
 * The answer to a condition on values that may be unknown. Combine answers with {@link all}, {@link any} and {@link
 * not} (Kleene's logic): a value that becomes known can determine an answer, but never reverses one.
 */
export type Truth = boolean | Undetermined;

/**
 * Whether every condition is true. A single false condition is sufficient for the answer, even if others are unknown.
 */
export function all(...conditions: readonly Truth[]): Truth {
  return conditions.includes(false) ? false : (undetermined(conditions) ?? true);
}

/**
 * Whether at least one condition is true. A single true condition is sufficient for the answer, even if others are
 * unknown.
 */
export function any(...conditions: readonly Truth[]): Truth {
  return conditions.includes(true) ? true : (undetermined(conditions) ?? false);
}

/** Most undetermined answers that a verdict keeps. */
const mostOpen = 20;

/** Whether a condition is true for at least one item. A list may have more items than a function can have arguments. */
export function some<Item>(items: readonly Item[], condition: (item: Item) => Truth): Truth {
  const open: Truth[] = [];
  for (const item of items) {
    const answer = condition(item);
    if (answer === true) return true;
    if (answer !== false && open.length < mostOpen) open.push(answer);
  }
  return any(...open);
}

/** The paths of the values that an answer waits for. */
export function openPaths(answer: Truth): readonly string[] {
  return answer instanceof Undetermined ? answer.paths : [];
}

/** The opposite answer; an undetermined answer stays undetermined. */
export function not(condition: Truth): Truth {
  return typeof condition === "boolean" ? !condition : condition;
}

function undetermined(conditions: readonly Truth[]): Undetermined | undefined {
  const open = conditions.filter((condition) => condition instanceof Undetermined);
  return open.length === 0 ? undefined : new Undetermined([...new Set(open.flatMap(({ paths }) => paths))]);
}
