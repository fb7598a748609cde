import type { RecordedResource, Recording } from "../../../planner/record/record";
import { planKey, planOf, selected, type Plans } from "./plans";
import type { BeyondRow, Claims, Parity, ParityRow } from "./rows";

/** How many resources each part of the original has. */
export const totals = { network: 22, cluster: 55, root: 7 } as const;

/** Resources that no row claims, or several; counts that do not add up. */
export function coverageProblems(parity: Parity, plans: Plans): string[] {
  const parts = Object.entries(totals).flatMap(([part, total]) => {
    const sum = parity[part as keyof typeof totals].reduce((counts, row) => counts + (row.count ?? 0), 0);
    return sum === total ? [] : [`the rows of ${part} count ${sum}, the original has ${total}`];
  });
  const { network, cluster, root, beyond, helm, onDemand } = parity;
  const base = planOf(plans);
  return [
    ...parts,
    ...owners([...network, ...cluster, ...root, ...beyond], base, base.resources),
    ...[...plans].flatMap(([key, plan]) => {
      const rows = [...helm, ...onDemand].filter(({ config }) => planKey(config) === key);
      return changeProblems(rows, base, plan).map((problem) => `with ${key}: ${problem}`);
    }),
  ];
}

/** What settings add must belong to the rows about them, and what they take away must be reported there. */
function changeProblems(rows: readonly (ParityRow | BeyondRow)[], base: Recording, plan: Recording): string[] {
  const urns = (recording: Recording) => new Set(recording.resources.map(({ urn }) => urn));
  const [before, after] = [urns(base), urns(plan)];
  const gone = base.resources.filter(({ urn }) => !after.has(urn)).map(({ type, name }) => `${type} ${name}`);
  const reported = rows.flatMap((row) =>
    Object.entries("gone" in row ? (row.gone ?? {}) : {}).flatMap(([type, names]) => names.map((n) => `${type} ${n}`)),
  );
  const added = plan.resources.filter(({ urn }) => !before.has(urn));
  return [
    ...owners(rows, plan, added),
    ...gone.filter((resource) => !reported.includes(resource)).map((resource) => `no row tells that ${resource} goes`),
    ...reported.filter((resource) => !gone.includes(resource)).map((resource) => `${resource} does not go`),
    ...reported
      .filter((resource, index) => reported.indexOf(resource) < index)
      .map((resource) => `${resource} goes twice`),
  ];
}

/** Resources that belong to no row or to several. */
function owners(rows: readonly Claims[], plan: Recording, resources: readonly RecordedResource[]): string[] {
  const claimed = rows.flatMap(({ here = [] }) => here.flatMap((selection) => selected(selection, plan)));
  return resources.flatMap(({ urn, type, name }) => {
    const times = claimed.filter(({ resource }) => resource.urn === urn).length;
    return times === 1 ? [] : [`${type} ${name} belongs to ${times} rows`];
  });
}
