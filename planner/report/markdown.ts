import { pictureOf } from "../draw/picture";
import { mermaidOf } from "../draw/mermaid";
import { mandatoryFailures, placeText, type Plan } from "../plan";
import { countOf } from "../../components/core/text";
import {
  addressOf,
  groupedFindings,
  messagesOf,
  nextCommand,
  verdictText,
  type FindingGroup,
  type PageOf,
} from "./findings";
import { factGroupsOf } from "./gpu-facts";
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
import { indexOf, shortType, type ResourceIndex } from "../facts/resource-index";

/** The plan as a pull-request comment: the verdict first, the list of resources last and collapsed. */
export function renderMarkdown(plan: Plan): string {
  const index = indexOf(plan.recording);
  const parts: Part[] = [
    { name: "verdict", text: heading(plan) },
    ...section("Findings", findingTable(groupedFindings(plan.findings), 30_000)),
    ...section("Cost", cost(plan)),
    ...factGroupsOf(plan, index).flatMap(({ kind, name, facts }) =>
      section(`${kind} ${name}`, [
        table(
          ["", ""],
          facts.map((fact) => fact.map(cell)),
        ),
      ]),
    ),
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

/** A table of findings; nothing if there are none. @param pageOf the address of the page of a rule @default no pages */
export function findingTable(
  groups: readonly (FindingGroup & { readonly isNew?: boolean })[],
  room: number,
  pageOf: PageOf = addressOf,
): string[] {
  if (groups.length === 0) return [];
  const rows = groups.map((group) => {
    const { kind, rule, severity, names, message, isNew } = group;
    const page = pageOf(group);
    const name = page === undefined ? cell(rule) : `[${cell(rule)}](<${page}>)`;
    const path = page === undefined && group.page !== undefined ? `<br>${cell(group.page)}` : "";
    const sign = isNew ? `${signs[kind]} **new**` : signs[kind];
    return [sign, `${name} (${cell(severity)})${path}`, cell(names.join(", ")), cell(message)];
  });
  return [table(["verdict", "rule", "resource", "problem and fix"], rows, { room })];
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
  const { resources } = index.recording;
  const lines = resources.map(({ type, name }) => `${shortType(type)} ${name}`).sort();
  const { kept, left } = limited(lines, room);
  const note = left === 0 ? "" : `\n\n${countOf(left, "more resource")} not shown because the comment is too long.`;
  return collapsed(`${countOf(resources.length, "resource")} to create`, fenced("", kept) + note);
}
