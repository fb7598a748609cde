import { pictureOf } from "../draw/graph";
import { mermaidOf } from "../draw/mermaid";
import { mandatoryFailures, type Plan } from "../plan";
import { counted, groupedFindings, nextCommand, verdictText } from "./findings";
import { gpuFacts } from "./gpu-facts";
import { cell, code, collapsed, fenced, plain, table } from "./markdown-syntax";
import { costRows, usageText, usd } from "./money";
import { gpuGroupsOf } from "./node-groups";
import { indexOf, shortType, type ResourceIndex } from "./resource-index";
import { treeCounts } from "./tree";

/** GitHub refuses a longer comment. @see https://github.com/orgs/community/discussions/27190 */
const mostCharacters = 65_536;

/** The plan as a pull-request comment: what a reviewer needs first, the list of resources last and behind a click. */
export function renderMarkdown(plan: Plan): string {
  const index = indexOf(plan.recording);
  const fixed = [
    ...heading(plan),
    ...section("Findings", findings(plan)),
    ...section("Cost", cost(plan)),
    ...gpuGroups(plan, index),
    ...section("The program says", warnings(plan)),
  ];
  const diagram = collapsed(
    "Picture",
    fenced("mermaid", mermaidOf(pictureOf(plan.recording, plan.region)).trimEnd().split("\n")),
  );
  return fitted(fixed, diagram, index);
}

function heading(plan: Plan): string[] {
  const { stack } = plan.recording;
  const mark = mandatoryFailures(plan).length === 0 ? "✅" : "❌";
  const { why, command } = nextCommand(plan);
  return [
    `### ${mark} Plan of ${plain(stack)} in ${plain(plan.region)}`,
    plain(verdictText(plan)),
    `${why}: ${code(command)}`,
  ];
}

function section(title: string, content: string[]): string[] {
  return content.length === 0 ? [] : [`#### ${title}`, ...content];
}

function findings(plan: Plan): string[] {
  const groups = groupedFindings(plan.findings);
  if (groups.length === 0) return [];
  const signs = { fail: "❌ fails", advice: "⚠️ advice", unknown: "❔ unknown" };
  const rows = groups.map((group) => [
    signs[group.kind],
    `${cell(group.rule)} (${cell(group.severity)})`,
    cell(group.names.join(", ")),
    cell(group.message),
  ]);
  return [table(["verdict", "rule", "resource", "what and how to put it right"], rows)];
}

function cost({ cost }: Plan): string[] {
  const rows = costRows(cost).map((row) => row.map(cell));
  const last = rows.pop()?.map((text) => (text === "" ? "" : `**${text}**`)) ?? [];
  const session = `${cost.sessionHour.complete ? "" : "at least "}${usd(cost.sessionHour.usd)}`;
  return [
    table(["at rest, in USD", "amount", "per hour", "per month"], [...rows, last], [2, 3]),
    ...(cost.gpuGroups.length === 0 ? [] : [`An hour with every GPU node running: **${plain(session)}**`]),
    ...(cost.usageBased.length === 0 ? [] : [`On top, by use: ${plain(cost.usageBased.map(usageText).join("; "))}`]),
    `<sub>Prices of ${plain(cost.pricesAsOf)} or later, without taxes: ${plain(cost.sources.join("; "))}</sub>`,
  ];
}

function gpuGroups(plan: Plan, index: ResourceIndex): string[] {
  return gpuGroupsOf(index).flatMap((group) => {
    const price = plan.cost.gpuGroups.find((one) => one.name === group.logicalName);
    const facts = gpuFacts(group, price).map((fact) => fact.map(cell));
    return section(`GPU nodes ${plain(group.name)}`, [table(["", ""], facts)]);
  });
}

function warnings({ recording }: Plan): string[] {
  const said = recording.diagnostics.filter(({ severity }) => severity !== "info");
  const lines = [...new Set(said.map(({ severity, message }) => `- ${severity}: ${cell(message.trim())}`))];
  return lines.length === 0 ? [] : [lines.join("\n")];
}

/** Leaves out what is least needed until the comment fits: first resources, then the picture, then the rest. */
function fitted(fixed: readonly string[], diagram: string, index: ResourceIndex): string {
  const join = (parts: readonly string[]) => `${parts.join("\n\n")}\n`;
  const base =
    join([...fixed, diagram]).length < mostCharacters - 2000
      ? [...fixed, diagram]
      : [...fixed, "The picture does not fit."];
  const room = mostCharacters - join(base).length - 500;
  const whole =
    room < 0 ? [`${join(base).slice(0, mostCharacters - 500)}\n\nThe rest does not fit into a comment.`] : base;
  return join([...whole, ...(room < 0 ? [] : [resourceList(index, room)])]);
}

function resourceList(index: ResourceIndex, room: number): string {
  const { total } = treeCounts(index);
  const lines = index.recording.resources.map(({ type, name }) => `${shortType(type)} ${name}`).sort();
  const kept: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += line.length + 1;
    if (size > room) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  const note = left === 0 ? "" : `\n\n${counted(left, "resource")} more: the list is cut to what a comment may hold.`;
  return collapsed(`${counted(total, "resource")} to create`, fenced("", kept) + note);
}
