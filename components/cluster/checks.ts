import type { Problem } from "../core/problems";

/** Checks that several parts of the cluster share. Like those in core they trust no type: configuration feeds them. */

/** What `check` finds in each item of a list; an item that was there before is refused. */
export function eachOnce(
  path: string,
  items: readonly unknown[],
  check: (path: string, item: unknown) => Problem[],
): Problem[] {
  return items.flatMap((got, index) => {
    const itemPath = `${path}[${index}]`;
    const problems = check(itemPath, got);
    const first = items.indexOf(got);
    if (problems.length > 0 || first === index) return problems;
    const why = `It is ${path}[${first}] again.`;
    return [{ code: "conflict", path: itemPath, got, why, fix: `remove ${itemPath}` } as const];
  });
}
