import type { CostChange, PlanDifference, ResourceChange, ResourceName } from "../diff/diff";
import { unknownSentinel } from "../../components/core/wire";
import { shortened, wrapped } from "../../components/core/text";
import { textPage, type TextOptions } from "../../components/core/text-page";
import { fenced, limited, mostCharacters, plain } from "./markdown-syntax";
import { perHour, sumText, warningLines } from "./cost-text";
import type { StackReview } from "../review/review";
import { groupedBy, shortType } from "../facts/resource-index";
import { countedTypes } from "./tree";

/** One line of a difference. */
export interface DiffLine {
  readonly sign: "-" | "+" | "~" | " ";
  readonly text: string;
}

/** The difference for people: `-` is only in the first plan, `+` only in the second, `~` differs. */
export function renderDiffText(difference: PlanDifference, options: TextOptions): string {
  const { colors: c, width } = textPage(options);
  const paint = { "-": c.red, "+": c.green, "~": c.yellow, " ": String };
  const lines = diffLines(difference).map(({ sign, text }) => paint[sign](shortened(`${sign} ${text}`, width)));
  const summary = wrapped(summaryText(difference), width).map((line) => c.bold(line));
  const cost = costNotes(difference).flatMap((line) => wrapped(line, width));
  const parts = [summary, lines, cost].map((part) => part.join("\n"));
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The difference as a pull-request comment. */
export function renderDiffMarkdown(difference: PlanDifference): string {
  const parts = [
    `### ${plain(summaryText(difference))}`,
    ...diffBlock(difference, mostCharacters - 2_000),
    ...costNotes(difference).map(plain),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The changes as a block of Markdown of at most `room` characters; nothing if there are none. */
export function diffBlock(difference: PlanDifference, room: number): string[] {
  // GitHub colors lines by their first character; `!` marks a change.
  const lines = diffLines(difference).map(({ sign, text }) => `${sign === "~" ? "!" : sign} ${text}`);
  const { kept, left } = limited(lines, room);
  return [
    ...(kept.length === 0 ? [] : [fenced("diff", kept)]),
    ...(left === 0 ? [] : [`${left} more lines not shown because the comment is too long.`]),
  ];
}

export function summaryText({ from, to, added, removed, changed, unchanged, clusters }: PlanDifference): string {
  if (added.length + removed.length + changed.length === 0)
    return `${from} and ${to} are equal: ${unchanged} resources`;
  const counts = [
    `${removed.length} removed`,
    `${added.length} added`,
    `${changed.length} changed`,
    `${unchanged} unchanged`,
  ].join(", ");
  const named = clusters ? `; cluster name ${clusters.from} -> ${clusters.to}` : "";
  return `From ${from} to ${to}: ${counts}${named}`;
}

/** The cost at rest and in use, a line each. */
export function costLines({ atRest, inUse }: PlanDifference): string[] {
  return [...costLine("at rest", atRest), ...costLine("in use", inUse)];
}

/** These lines, and a warning that prices are old. */
function costNotes(difference: PlanDifference): string[] {
  return [...costLines(difference), ...warningLines(difference.priceWarning)];
}

function costLine(when: string, cost: CostChange | undefined): string[] {
  if (!cost) return [];
  const [before, after] = [cost.from, cost.to].map((one) => sumText(one.usdPerHour, one.complete, perHour));
  const amounts = before === after ? `${after}, unchanged` : `${before} -> ${after}`;
  return [`Cost ${when}, in USD per hour: ${amounts}`];
}

/** The warning of several plans that prices are old: that of the oldest prices. */
export function priceWarningOf(stacks: readonly Pick<StackReview, "plan" | "difference">[]): string[] {
  const warnings = stacks.flatMap(({ plan, difference }) => {
    return plan?.cost.priceTable.warning ?? difference?.priceWarning ?? [];
  });
  return warningLines(warnings.sort()[0]);
}

export function diffLines({ added, removed, changed }: PlanDifference): DiffLine[] {
  return [
    ...subtrees(removed).map((text): DiffLine => ({ sign: "-", text })),
    ...subtrees(added).map((text): DiffLine => ({ sign: "+", text })),
    ...changed.flatMap(changeLines),
  ];
}

/** The outermost resources of a list, each with the number of resources inside it by type. */
function subtrees(resources: readonly ResourceName[]): string[] {
  const listed = new Map(resources.map((resource) => [resource.urn, resource]));
  const trees = groupedBy(resources, (resource) => outermost(resource, listed).urn);
  return [...trees].map(([urn, own]) => {
    const inside = own.filter((resource) => resource.urn !== urn);
    const counts = countedTypes(inside.map(({ type }) => shortType(type))).map(({ text }) => text);
    const [root] = own.filter((resource) => resource.urn === urn).map(title);
    return `${root}${counts.length === 0 ? "" : ` containing ${counts.join(", ")}`}`;
  });
}

function outermost(resource: ResourceName, listed: ReadonlyMap<string, ResourceName>): ResourceName {
  const parent = listed.get(resource.parent ?? "");
  return parent ? outermost(parent, listed) : resource;
}

function title({ type, name }: ResourceName): string {
  return `${shortType(type)} ${name}`;
}

function changeLines({ from, to, properties }: ResourceChange): DiffLine[] {
  const was = from.name === to.name ? "" : ` (was ${from.name})`;
  const replacing = properties.filter(({ replaces }) => replaces).map(({ path }) => path);
  const replaced = replacing.length === 0 ? "" : ` (replaced: ${replacing.join(", ")})`;
  return [
    { sign: "~", text: title(to) + was + replaced },
    ...properties.map(({ path, from: before, to: after }): DiffLine => {
      if (before === undefined) return { sign: "+", text: `    ${path}: ${valueText(after)}` };
      if (after === undefined) return { sign: "-", text: `    ${path}: ${valueText(before)}` };
      return { sign: " ", text: `    ${path}: ${valueText(before)} -> ${valueText(after)}` };
    }),
  ];
}

function valueText(value: unknown): string {
  const text = value === unknownSentinel ? unknownSentinel : (JSON.stringify(value) ?? "nothing");
  return shortened(text.replaceAll(unknownSentinel, "(known after the update)"), 60);
}
