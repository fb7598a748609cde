import { cellsOf, type PriceTable } from "./table";

/** What differs between two tables, as lines for a review: single changes, and counts of what was added. */
export function changesOf(old: PriceTable, next: PriceTable): string[] {
  const [before, after] = [cellsOf(old), cellsOf(next)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changes = keys.map((key) => ({ key, from: before.get(key) ?? "?", to: after.get(key) ?? "?" }));
  const isPrice = (cell: string) => Number(cell) > 0;
  const changed = changes.filter(({ from, to }) => from !== to && isPrice(from));
  const added = changes.filter(({ from, to }) => isPrice(to) && !isPrice(from));
  return [
    `Price table of ${old.collected} → ${next.collected}: ${after.size} cells in ${next.regions.length} regions`,
    ...changed.map(
      ({ key, from, to }) => `  ${key}: ${from} → ${isPrice(to) ? `${to} (${percent(from, to)})` : named(to)}`,
    ),
    ...byRegion(added.map(({ key }) => key)),
    ...(changed.length + added.length === 0 ? ["  no price changed"] : []),
  ];
}

function percent(from: string, to: string): string {
  const change = (Number(to) / Number(from) - 1) * 100;
  return `${change > 0 ? "+" : ""}${change.toFixed(1)} %`;
}

function named(cell: string): string {
  return cell === "-" ? "not offered" : "not known";
}

function byRegion(keys: readonly string[]): string[] {
  const items = new Map<string, string[]>();
  for (const key of keys) {
    const [region = "", item = ""] = key.split(" ");
    items.set(region, [...(items.get(region) ?? []), item]);
  }
  return [...items].map(
    ([region, some]) => `  ${region}: new ${some.length > 6 ? `prices of ${some.length} items` : some.join(", ")}`,
  );
}
