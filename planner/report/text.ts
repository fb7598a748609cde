import { mandatoryFailures, placeText, type Plan } from "../plan";
import { aligned, indented, pageOf, shortened, wrapped } from "../../components/core/text";
import { textPage, type Colors, type TextOptions, type TextPage } from "../../components/core/text-page";
import { pageLines } from "../../policies/engine/pack";
import { groupedFindings, messagesOf, nextCommand, verdictText, type FindingGroup } from "./findings";
import { factGroupsOf } from "./gpu-facts";
import { costNotesOf, costRows, sourcesText } from "./cost-text";
import { indexOf, type ResourceIndex } from "../facts/resource-index";
import { componentTree, countsText } from "./tree";

interface Page extends TextPage {
  readonly plan: Plan;
  readonly index: ResourceIndex;
}

/** The report for people. Colors add no information. */
export function renderText(plan: Plan, options: TextOptions): string {
  const page: Page = { plan, index: indexOf(plan.recording), ...textPage(options) };
  const sections = [
    heading(page),
    tree(page),
    ...factSections(page),
    cost(page),
    messages(page),
    policies(page),
    closing(page),
  ];
  return pageOf(sections);
}

function heading({ plan, index, colors, width }: Page): string[] {
  const { project, stack } = plan.recording;
  const title = `Stack ${stack}`;
  const rest = ` of ${project}${placeText(plan)}: ${index.recording.resources.length} to create (${countsText(index)})`;
  const [first = "", ...more] = wrapped(title + rest, width);
  return [colors.bold(first.slice(0, title.length)) + first.slice(title.length), ...more];
}

function tree({ index, colors, width }: Page): string[] {
  const longest = Math.min(44, width - 9); // Leaves room for the margin and a count of five digits.
  const rows = componentTree(index).map((row) => [
    shortened(`${"  ".repeat(row.depth)}${row.label}`, longest),
    String(row.count),
    row.summary,
  ]);
  if (rows.length === 0) return [];
  const lines = aligned(rows, [{}, { align: "right" }, { flexible: true }], width - 2);
  return [colors.bold("Resources"), ...indented(lines)];
}

/** The GPU node groups and the leases; that there are no GPU nodes, in a plan of resources on AWS. */
function factSections({ plan, index, colors, width }: Page): string[][] {
  const groups = factGroupsOf(plan, index);
  const hasNone = groups.every(({ kind }) => kind !== "GPU nodes") && placeText(plan) !== "";
  const linesOf = (wanted: string) =>
    groups
      .filter(({ kind }) => kind === wanted)
      .flatMap(({ kind, name, facts }) => [
        `${colors.bold(kind)}  ${name}`,
        ...indented(aligned(facts, [{}, { flexible: true }], width - 2)),
      ]);
  return [hasNone ? [`${colors.bold("GPU nodes")}  none`] : linesOf("GPU nodes"), linesOf("Lease")];
}

function cost({ plan: { cost }, colors, width }: Page): string[] {
  const header = ["Cost at rest, in USD", "", "per hour", "per month"];
  const rows = costRows(cost).map(([item = "", ...rest]) => [`  ${item}`, ...rest]);
  const [first = "", ...lines] = aligned(
    [header, ...rows],
    [{ flexible: true }, {}, { align: "right" }, { align: "right" }],
    width,
  );
  const notes = costNotesOf(cost).flatMap((note) => wrapped(note, width - 2));
  return [
    colors.bold(first),
    ...lines.slice(0, -1),
    colors.bold(lines.at(-1) ?? ""),
    ...indented(notes),
    ...indented(sourcesText(cost).flatMap((line) => wrapped(line, width - 2))).map(colors.dim),
  ];
}

function messages({ plan, colors, width }: Page): string[] {
  const texts = messagesOf(plan).map(({ severity, message }) => `${severity}: ${message}`);
  if (texts.length === 0) return [];
  const lines = texts.flatMap((message) => message.split("\n").flatMap((line) => wrapped(line, width - 2)));
  return [colors.bold("Messages"), ...indented(lines).map(colors.yellow)];
}

function policies({ plan, colors, width }: Page): string[] {
  const groups = groupedFindings(plan.findings);
  if (groups.length === 0) return [];
  // The page of a rule stands below its last finding.
  const lines = groups.flatMap((group, at) => {
    const isLast = groups.findLastIndex(({ rule }) => rule === group.rule) === at;
    return findingLines(isLast ? group : { ...group, page: undefined }, colors, width);
  });
  return [colors.bold("Policies"), ...lines];
}

const labels = { fail: "FAIL", advisory: "advisory", unknown: "unknown" } as const;

/** The lines of a finding: its verdict, rule and resources, then the problem and the fix. */
export function findingLines(group: FindingGroup, colors: Colors, width: number): string[] {
  const paint = { fail: colors.red, advisory: colors.yellow, unknown: colors.dim }[group.kind];
  const margin = 11;
  const room = width - margin;
  const title = `${group.rule} (${group.severity}): ${group.names.join(", ")}`;
  const [first = "", ...rest] = wrapped(title, room);
  const message = group.message.split("\n").flatMap((line) => wrapped(line.trim(), room));
  const fixAt = message.findIndex((line) => line.startsWith("fix:"));
  const body = message.map((line, at) => (fixAt >= 0 && at >= fixAt ? colors.cyan(line) : line));
  // Users open it, so it is never wrapped.
  return [
    `  ${paint(labels[group.kind].padEnd(margin - 2))}${colors.bold(first)}`,
    ...[...rest.map(colors.bold), ...body, ...pageLines(group).map(colors.dim)].map(
      (line) => " ".repeat(margin) + line,
    ),
  ];
}

function closing({ plan, colors, width }: Page): string[] {
  const paint = mandatoryFailures(plan).length === 0 ? colors.green : colors.red;
  const { why, command } = nextCommand(plan);
  const verdict = wrapped(verdictText(plan), width).map((line) => paint(line));
  // Users copy the command, so it is never wrapped.
  const next =
    why.length + 2 + command.length <= width
      ? [`${why}: ${colors.bold(command)}`]
      : [`${why}:`, `  ${colors.bold(command)}`];
  return [...verdict, ...next];
}
