import { countOf, indented, pageOf, wrapped } from "../../components/core/text";
import { textPage, type TextOptions, type TextPage } from "../../components/core/text-page";
import { kindNames, type Difference } from "../compare";
import type { Dump } from "../snapshot/dump";
import { formatDuration, secondsBetween } from "../snapshot/time";
import { unreadLines } from "./text";

interface Comparison {
  readonly before: Dump;
  readonly after: Dump;
  readonly differences: readonly Difference[];
}

/** The document of `triage --compare --json`. A change that breaks a reader increments the version. */
export function comparisonJson({ before, after, differences }: Comparison): string {
  const headOf = ({ takenAt, context, unread }: Dump) => ({ takenAt, context, unread });
  const result = differences.some(({ worse }) => worse) ? "worse" : "not-worse";
  const head = { kind: "TriageComparison", version: 1, result, before: headOf(before), after: headOf(after) };
  return `${JSON.stringify({ ...head, differences }, null, 2)}\n`;
}

/** The comparison as text, with what got worse first. */
export function comparisonText({ before, after, differences }: Comparison, options: TextOptions): string {
  const page = textPage(options);
  const worse = differences.filter((one) => one.worse).length;
  const paint = worse > 0 ? page.colors.red : page.colors.green;
  const found = countOf(differences.length, "difference");
  return pageOf([
    heading(before, after).flatMap((line) => wrapped(line, page.width)),
    ...kindNames.map((kind) => section(kind, differences, page)),
    unreadLines("Not read in the saved data", before.unread, page),
    unreadLines("Not read now", after.unread, page),
    [paint(worse > 0 ? `${found}, ${worse} for the worse.` : `${found}, none for the worse.`)],
  ]);
}

function heading(before: Dump, after: Dump): string[] {
  const [was, is] = [Date.parse(before.takenAt ?? ""), Date.parse(after.takenAt ?? "")];
  const textOf = ({ context = "the cluster", takenAt = "at an unknown time" }: Dump) => `${context}, ${takenAt}`;
  const age = secondsBetween(before.takenAt, is);
  const apart = age === undefined ? "" : ` (${formatDuration(age)} later)`;
  const warning = "The saved data is newer: the clocks of two machines differ, or the files are swapped.";
  return [`Before: ${textOf(before)}`, `Now: ${textOf(after)}${was > is ? "" : apart}`, ...(was > is ? [warning] : [])];
}

/** The text has up to this many differences of a kind. */
const most = 20;
const marks = { added: "+", gone: "-", recreated: "~", changed: "~", unknown: "?" };

function section(kind: Difference["kind"], differences: readonly Difference[], { colors, width }: TextPage): string[] {
  const all = differences.filter((one) => one.kind === kind);
  if (all.length === 0) return [];
  const worstFirst = all.toSorted((one, other) => Number(other.worse) - Number(one.worse));
  const lines = worstFirst.slice(0, most).flatMap((one) => {
    const own = wrapped(lineOf(one), width - 2);
    return one.worse ? own.map(colors.red) : own;
  });
  const more = all.length > most ? [`and ${all.length - most} more, which --json lists`] : [];
  return [colors.bold(kind), ...indented([...lines, ...more])];
}

function lineOf({ name, change, worse, facts }: Difference): string {
  const values = facts.map(({ name: key, before, after }) =>
    change === "changed" || change === "recreated"
      ? `${key} ${before ?? "none"} -> ${after ?? "none"}`
      : `${key} ${before ?? after}`,
  );
  const isOld = facts.some(({ before }) => before !== undefined);
  const unknown = isOld ? "gone, or not read now" : "new, or not read before";
  const note = change === "unknown" ? [unknown] : change === "recreated" ? ["recreated"] : [];
  return `${marks[change]} ${name}: ${[...(worse ? ["worse"] : []), ...note, ...values].join(", ")}`;
}
