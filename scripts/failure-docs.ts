// The page of the known failures: from what happens to the lab, the rules, the alerts and the conclusions. scripts/docs.ts
// writes it.
import { failures, type Failure } from "../failures";

type Column = Exclude<keyof Failure, "what">;

/** The title of each column, and how a cell shows a name. */
const columns: Readonly<Record<Column, { readonly title: string; readonly link: (name: string) => string }>> = {
  labs: { title: "lab", link: (name) => `[${name}](labs/${name}.md)` },
  rules: { title: "policy rule", link: (name) => `[${name}](policies/${name}.md)` },
  alerts: { title: "alert", link: (name) => `[${name}](alerts.md#${name.toLowerCase()})` },
  conclusions: { title: "triage conclusion", link: (name) => `\`${name}\`` },
};

/** The page, by its path from the project's root. */
export function failurePage(): Record<string, string> {
  return { "docs/accidents.md": [...introduction, ...Object.entries(failures).flatMap(section), ""].join("\n") };
}

const introduction = [
  "# Known failures",
  "",
  "This page lists the failures of GPUs on EKS and what this project does about each: the lab that injects it, the policy",
  "rule that rejects it in a pull request, the alert that fires, and the conclusion of `npx eks-gpu-lab triage`. An empty",
  "cell means that the project has nothing for this case. For example, no plan shows that a GPU will break.",
  "",
  "See also [labs](labs/README.md), [rules](policies/README.md), [alerts](alerts.md), [triage](triage.md) and the exercise",
  "[pods that never run](exercises/pending-pods.md).",
];

function section([title, rows]: readonly [string, readonly Failure[]]): string[] {
  const used = (Object.keys(columns) as Column[]).filter((column) => rows.some((row) => row[column]));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    "",
    `## ${title}`,
    "",
    line(["failure", ...used.map((column) => columns[column].title)]),
    line(["---", ...used.map(() => "---")]),
    ...rows.map((row) => line([row.what, ...used.map((column) => cell(row, column))])),
  ];
}

function cell(row: Failure, column: Column): string {
  return (row[column] ?? []).map(columns[column].link).join(", ");
}
