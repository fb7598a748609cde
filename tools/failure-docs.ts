// The pages of the known failures, from what happens to the lab, the rules, the alerts and the conclusions, and of the
// conclusions. tools/docs.ts writes them.
import { gpuAlertGroups } from "../components/observe/alerts/gpu-alert-rules";
import { failures, type Failure, type Failures } from "./failures";
import { lab } from "../policies/packs/lab/rules";
import { labs } from "../stacks/labs";
import { conclusionsOf, layers, type Layer } from "../triage/conclusions";
import { knownCauses } from "../triage/conclusions/known-causes";
import { plain } from "./alert-docs";

type Column = Exclude<keyof Failure, "what">;
type Row = { readonly what: string } & { readonly [C in Column]?: readonly string[] };
type Section = readonly [title: string, rows: readonly Row[]];

/** The title of each kind, for one and for several, and how an entry shows a name. */
const columns: Readonly<
  Record<Column, { readonly titles: readonly [string, string]; readonly link: (name: string) => string }>
> = {
  labs: { titles: ["Lab", "Labs"], link: (name) => `[${name}](labs/${name}.md)` },
  rules: { titles: ["Rule", "Rules"], link: (name) => `[${name}](policies/${name}.md)` },
  alerts: { titles: ["Alert", "Alerts"], link: (name) => `[${name}](alerts.md#${name.toLowerCase()})` },
  conclusions: { titles: ["Triage", "Triage"], link: (name) => `[${name}](conclusions.md#${name})` },
};

const columnNames = Object.keys(columns) as Column[];

/**
 * The pages of the failures and of the conclusions, by path from the project's root. The last section of the failures lists
 * the labs, rules and alerts that no failure of the catalog names.
 */
export function failurePages(catalog: Failures = failures): Record<string, string> {
  const sections: readonly Section[] = [...Object.entries(catalog), ["Other", unlisted(Object.values(catalog).flat())]];
  const lines = sections.filter(([, rows]) => rows.length > 0).flatMap(section);
  return {
    "docs/accidents.md": [...introduction, ...lines, ""].join("\n"),
    "docs/conclusions.md": conclusions(),
  };
}

/** What each check of triage is about. */
const checks: Readonly<Record<Layer, string>> = {
  pod: "Pods",
  node: "Nodes",
  daemonset: "DaemonSets and other components for GPUs",
  operator: "GPU Operator",
  inside: "Inside of nodes and containers",
};

function conclusions(): string {
  return [
    "# Conclusions of triage",
    "",
    "This page lists the conclusions of [`npx eks-gpu-lab triage`](triage.md). The ids are stable, so scripts may rely on them.",
    "[Known failures](accidents.md) lists the labs, rules and alerts of a conclusion. Triage finds some conclusions in the logs of",
    "programs: a link names the versions whose messages triage knows, and leads to the documentation of the program.",
    ...layers.flatMap((layer) => {
      const entries = conclusionsOf(layer).map(
        ([id, meaning]) => `- <a id="${id}"></a>\`${id}\`: ${meaning}${textsOf(id)}`,
      );
      return ["", `## ${checks[layer]}`, "", ...entries];
    }),
    "",
  ].join("\n");
}

const causes = new Map(Object.entries(knownCauses));

/** The versions whose texts show a conclusion, and where their documentation describes it. */
function textsOf(id: string): string {
  const { seen, source } = causes.get(id) ?? {};
  return seen === undefined ? "" : ` ([${seen}](${source}))`;
}

/** The labs, rules and alerts that no row names, each with its own description. */
function unlisted(rows: readonly Row[]): Row[] {
  const descriptions: Readonly<Partial<Record<Column, readonly (readonly [name: string, what: string])[]>>> = {
    labs: Object.entries(labs).map(([name, { question }]) => [name, question]),
    rules: lab.rules.map(({ rule }) => [rule.id, rule.title]),
    alerts: gpuAlertGroups().flatMap(({ rules }) => rules.map(({ name, summary }) => [name, plain(summary)] as const)),
  };
  return columnNames.flatMap((column) => {
    const named = new Set(rows.flatMap((row) => row[column] ?? []));
    const own = descriptions[column] ?? [];
    return own.filter(([name]) => !named.has(name)).map(([name, what]) => ({ what, [column]: [name] }));
  });
}

const introduction = [
  "# Known failures",
  "",
  "This page lists the failures of GPUs on EKS and what this project does about each: the [lab](labs/README.md) that injects",
  "it, the [policy rule](policies/README.md) that rejects it in a pull request, the [alert](alerts.md) that fires, and the",
  "[conclusion](conclusions.md) of [triage](triage.md). To practise, see [pods that never run](exercises/pending-pods.md) and the [drill](drill.md).",
];

function section([title, rows]: Section): string[] {
  return [
    "",
    `## ${title}`,
    "",
    ...rows.map((row) => `- ${[sentence(row.what), ...columnNames.flatMap(named(row))].join(" ")}`),
  ];
}

/** What deals with a failure, of one kind: `Rules: a, b.` */
function named(row: Row): (column: Column) => string[] {
  return (column) => {
    const names = row[column] ?? [];
    const { titles, link } = columns[column];
    return names.length === 0 ? [] : [`${titles[names.length === 1 ? 0 : 1]}: ${names.map(link).join(", ")}.`];
  };
}

function sentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}
