// The page of the known accidents: an index from what happens to all that tells of it. Pure but for loading what there
// is to name; scripts/docs.mjs writes it.
import { accidents } from "./accidents.mjs";
import { loadBundled } from "./bundled.mjs";

/** What a cell names, and the page that tells more of a name. */
const columns = {
  labs: { title: "lab", link: (name) => `[${name}](labs/${name}.md)` },
  rules: { title: "refused before, by rule", link: (name) => `[${name}](policies/${name}.md)` },
  alerts: { title: "told by alert", link: (name) => `[${name}](alerts.md#${name.toLowerCase()})` },
  triage: { title: "concluded by triage", link: (name) => `\`${name}\`` },
};

/**
 * The page, by its path from the project's root.
 *
 * @throws where it names what there is not, or leaves out what there is
 */
export function accidentPage() {
  const alerts = alertRules();
  for (const [kind, names] of Object.entries(existing(alerts))) compare(kind, names);
  compareLabs(alerts);
  return { "docs/accidents.md": [...introduction, ...Object.entries(accidents).flatMap(section), ""].join("\n") };
}

function existing(alerts) {
  const { labs } = loadBundled("stacks/labs.ts");
  const { rules } = loadBundled("policies/packs/audit/rules.ts").audit;
  const { conclusionIds } = loadBundled("triage/conclusions.ts");
  return {
    labs: Object.keys(labs),
    rules: rules.map(({ rule }) => rule.id),
    alerts: alerts.map(({ name }) => name),
    triage: conclusionIds,
  };
}

function compare(kind, names) {
  const named = new Set(
    Object.values(accidents)
      .flat()
      .flatMap((accident) => accident[kind] ?? []),
  );
  const unknown = [...named].filter((name) => !names.includes(name));
  const missing = names.filter((name) => !named.has(name));
  if (unknown.length > 0) throw new Error(`scripts/accidents.mjs names ${kind} that are none: ${unknown.join(", ")}`);
  if (missing.length > 0) throw new Error(`scripts/accidents.mjs leaves out ${kind}: ${missing.join(", ")}`);
}

/** An alert that names its lab must stand beside it. */
function compareLabs(rules) {
  const rows = Object.values(accidents).flat();
  const apart = rules.filter(
    ({ name, lab }) => lab && !rows.some(({ labs = [], alerts = [] }) => labs.includes(lab) && alerts.includes(name)),
  );
  if (apart.length === 0) return;
  throw new Error(
    `scripts/accidents.mjs has no row with ${apart.map(({ name, lab }) => `${name} and ${lab}`).join(", ")}`,
  );
}

function alertRules() {
  return loadBundled("components/observe/alerts/gpu-alert-rules.ts")
    .gpuAlertGroups()
    .flatMap(({ rules }) => rules);
}

const introduction = [
  "# Known accidents",
  "",
  "What goes wrong with GPUs on EKS, and what here tells of it: the lab that brings it about, the rule that refuses it in a",
  "pull request, the alert that fires, and what `npx eks-gpu-lab triage` concludes. Where a cell is empty nothing does: no",
  "plan shows a GPU that will break, and a forgotten GPU node is no fault that triage could find.",
  "",
  "[Labs](labs/README.md), [rules](policies/README.md), [alerts](alerts.md), [triage](triage.md); and an exercise in",
  "[pods that never run](exercises/pending-pods.md).",
];

function section([title, rows]) {
  // A column that is empty throughout a section would only take room.
  const used = Object.entries(columns).filter(([kind]) => rows.some((row) => row[kind]));
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    "",
    `## ${title}`,
    "",
    line(["what happens", ...used.map(([, column]) => column.title)]),
    line(["---", ...used.map(() => "---")]),
    ...rows.map((row) => line([row.what, ...used.map(([kind, { link }]) => (row[kind] ?? []).map(link).join(", "))])),
  ];
}
