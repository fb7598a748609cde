import { table } from "../planner/report/markdown-syntax";
import { changeTable } from "./changes/change-table";

// The table of docs/changes.md.

/** A row for each configuration key. */
export function changeDocs(): string {
  const rows = Object.entries(changeTable).map(([key, { effect, what, time = "-", cost = "-" }]) => [
    `\`${key}\``,
    effect === "refused" ? "**refused**" : effect,
    what,
    time,
    cost,
  ]);
  return table(["key", "effect", "what happens, and what is interrupted", "typical time", "cost meanwhile"], rows);
}
