import { pictureOf } from "../draw/picture";
import { mermaidOf } from "../draw/mermaid";
import { mandatoryFailures, placeText, type Plan } from "../plan";
import { countOf } from "../../components/core/text";
import { groupedFindings, messagesOf, nextCommand, verdictText } from "./findings";
import { gpuFacts } from "./gpu-facts";
import {
  cell,
  code,
  collapsed,
  fenced,
  fitted,
  limited,
  missingNote,
  mostCharacters,
  plain,
  table,
  type Part,
} from "./markdown-syntax";
import { costNotesOf, costRows, sourcesText } from "./cost-text";
import { leasesOf } from "../facts/leases";
import { gpuGroupsOf } from "../facts/node-groups";
import { indexOf, shortType, type ResourceIndex } from "../facts/resource-index";
import { leaseRows } from "./lease-rows";
import { treeCounts } from "./tree";

/** The plan as a pull-request comment: the verdict first, the list of resources last and collapsed. */
export function renderMarkdown(plan: Plan): string {
  const index = indexOf(plan.recording);
  const parts: Part[] = [
    { name: "verdict", text: heading(plan) },
    ...section("Findings", findings(plan)),
    ...section("Cost", cost(plan)),
    ...gpuGroups(plan, index),
    ...leases(index),
    ...section("Messages", messages(plan)),
    { name: "diagram", text: diagram(plan) },
  ];
  return comment(parts, (room) => resourceList(index, room));
}

function heading(plan: Plan): string {
  const { stack } = plan.recording;
  const mark = mandatoryFailures(plan).length === 0 ? "✅" : "❌";
  const { why, command } = nextCommand(plan);
  const title = `### ${mark} Plan of ${plain(stack + placeText(plan))}`;
  return paragraphs([title, plain(verdictText(plan)), `${why}: ${code(command)}`]);
}

/** How a comment marks a finding. */
export const signs = { fail: "❌ fail", advisory: "⚠️ advisory", unknown: "❔ unknown" };

function section(title: string, content: readonly string[]): Part[] {
  return content.length === 0 ? [] : [{ name: title, text: paragraphs([`#### ${plain(title)}`, ...content]) }];
}

function paragraphs(parts: readonly string[]): string {
  return parts.join("\n\n");
}

/** The picture of a plan, which GitHub draws; collapsed. */
export function diagram(plan: Plan): string {
  const lines = mermaidOf(pictureOf(plan.recording, plan.region)).trimEnd().split("\n");
  return collapsed("Diagram", fenced("mermaid", lines));
}

function findings(plan: Plan): string[] {
  const groups = groupedFindings(plan.findings);
  if (groups.length === 0) return [];
  const rows = groups.map((group) => [
    signs[group.kind],
    `${cell(group.rule)} (${cell(group.severity)})`,
    cell(group.names.join(", ")),
    cell(group.message),
  ]);
  return [table(["verdict", "rule", "resource", "problem and fix"], rows, { room: 30_000 })];
}

function cost({ cost }: Plan): string[] {
  const rows = costRows(cost).map((row) => row.map(cell));
  const last = rows.pop()?.map((text) => (text === "" ? "" : `**${text}**`)) ?? [];
  return [
    table(["cost at rest, in USD", "quantity", "per hour", "per month"], [...rows, last], { right: [2, 3] }),
    ...costNotesOf(cost).map(plain),
    ...sourcesText(cost).map((line) => `<sub>${plain(line)}</sub>`),
  ];
}

function gpuGroups(plan: Plan, index: ResourceIndex): Part[] {
  return gpuGroupsOf(index).flatMap((group) => {
    const price = plan.cost.gpuGroups.find((one) => one.name === group.logicalName);
    const facts = gpuFacts(group, price).map((fact) => fact.map(cell));
    return section(`GPU nodes ${group.name}`, [table(["", ""], facts)]);
  });
}

function leases(index: ResourceIndex): Part[] {
  return leasesOf(index).flatMap((lease) =>
    section(`Lease ${lease.name}`, [
      table(
        ["", ""],
        leaseRows(lease).map((row) => row.map(cell)),
      ),
    ]),
  );
}

function messages(plan: Plan): string[] {
  const lines = messagesOf(plan).map(({ severity, message }) => `- ${severity}: ${cell(message)}`);
  return lines.length === 0 ? [] : [lines.join("\n")];
}

/** As many parts as fit, in this order, and the names of the others. */
function comment(parts: readonly Part[], last: (room: number) => string): string {
  const reserve = 2_000;
  const { kept, missing, room } = fitted(parts, mostCharacters - reserve);
  return `${paragraphs([...kept, ...missingNote(missing), last(room)])}\n`;
}

function resourceList(index: ResourceIndex, room: number): string {
  const { total } = treeCounts(index);
  const lines = index.recording.resources.map(({ type, name }) => `${shortType(type)} ${name}`).sort();
  const { kept, left } = limited(lines, room);
  const note = left === 0 ? "" : `\n\n${countOf(left, "more resource")} not shown because the comment is too long.`;
  return collapsed(`${countOf(total, "resource")} to create`, fenced("", kept) + note);
}
