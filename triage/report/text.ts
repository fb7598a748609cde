import { countOf, aligned, indented, pageOf, wrapped } from "../../components/core/text";
import { textPage, type TextOptions, type TextPage } from "../../components/core/text-page";
import type { Conclusion } from "../conclusions";
import type { Evidence } from "../conclusions/entry";
import type { Subject } from "../snapshot/dump";
import { formatDuration, secondsBetween } from "../snapshot/time";
import { listNames } from "../texts";
import { foundProblems, rootCauses, type Report } from "../triage";

interface Page extends TextPage {
  readonly report: Report;
}

/** The report as text. It has the same content without colors. */
export function renderText(report: Report, options: TextOptions): string {
  const page: Page = { report, ...textPage(options) };
  const sections = [heading, checks, unread, conclusions, consequences, notices, summary];
  return pageOf(sections.map((section) => section(page)));
}

function heading({ report, colors, width }: Page): string[] {
  const where = report.context === undefined ? "" : ` in ${report.context}`;
  const time = report.takenAt === undefined ? "at an unknown time" : `as of ${report.takenAt}`;
  const [first = "", ...rest] = wrapped(`Triage of ${subjectText(report.subject)}${where}, ${time}`, width);
  return [colors.bold(first), ...rest];
}

function subjectText(subject: Subject | undefined): string {
  if (!subject) return "the cluster";
  return subject.kind === "pod" ? `pod ${subject.namespace}/${subject.name}` : `node ${subject.name}`;
}

function checks({ report, colors, width }: Page): string[] {
  const rows = report.checks.flatMap(({ layer, lines }) =>
    (lines.length > 0 ? lines : ["could not be read"]).map((line, at) => [at === 0 ? layer : "", line]),
  );
  return [colors.bold("Checks"), ...indented(aligned(rows, [{}, { flexible: true }], width - 2))];
}

function unread({ report, ...page }: Page): string[] {
  return unreadLines("Not read and not checked", report.unread, page);
}

/** A section about what could not be read; nothing if all could. */
export function unreadLines(title: string, unread: Report["unread"], { colors, width }: TextPage): string[] {
  if (unread.length === 0) return [];
  const lines = unread.flatMap(({ what, where, why }) => wrapped(`${what} of ${where}: ${why}`, width - 2));
  return [colors.bold(title), ...indented(lines.map(colors.yellow))];
}

function conclusions(page: Page): string[] {
  const found = rootCauses(page.report);
  if (found.length === 0) return [];
  const title = page.colors.bold(found.length === 1 ? "Conclusion" : "Conclusions");
  return [title, ...separated(found, page), ...leftOut(page)];
}

function leftOut({ report, colors, width }: Page): string[] {
  if (!report.leftOut) return [];
  const text = `Not checked because there are too many: ${report.leftOut.join("; ")}. To check one: triage pod NAME.`;
  return ["", ...indented(wrapped(text, width - 2).map(colors.yellow))];
}

function separated(conclusions: readonly Conclusion[], page: Page): string[] {
  return conclusions.flatMap((one, at) => [...(at > 0 ? [""] : []), ...conclusionLines(one, page)]);
}

function conclusionLines(conclusion: Conclusion, { report, colors, width }: Page): string[] {
  const { id, subject, confidence, what, evidence, next, level } = conclusion;
  const textWidth = width - 4;
  const paint = level === "problem" ? colors.red : colors.yellow;
  const [first = "", ...more] = wrapped(`${id}: ${subject} (${confidence})`, width - 2);
  const steps = next.flatMap((step) => [
    ...wrapped(`${step.why}${step.changes ? " (this changes the cluster)" : ""}:`, textWidth),
    // Users copy commands, so they are never wrapped.
    ...indented(step.command.split("\n").map(colors.cyan)),
  ]);
  return [
    ...indented([paint(first.slice(0, id.length)) + first.slice(id.length), ...more]),
    ...indented(wrapped(what, textWidth), 4),
    ...indented(evidence.flatMap((one) => evidenceLines(one, report, textWidth)).map(colors.dim), 4),
    ...indented(steps, 4),
  ];
}

/** Names of nodes are too long for a column, so the object and the fact follow each other. */
function evidenceLines({ object, field, value, at }: Evidence, { takenAt }: Report, width: number): string[] {
  const age = secondsBetween(at, Date.parse(takenAt ?? ""));
  const since = age === undefined ? "" : `, ${formatDuration(age)} ago`;
  const fact = `${field} = ${value.replace(/\s+/g, " ")}${since}`;
  const [first = "", ...rest] = wrapped(`evidence ${object}: ${fact}`, width - 2);
  return [first, ...indented(rest)];
}

function consequences({ report, colors, width }: Page): string[] {
  const found = report.conclusions.filter(({ level, because }) => level === "problem" && because !== undefined);
  if (found.length === 0) return [];
  const lines = found.flatMap(({ id, subject, causes = [], evidence }) => {
    const reasons = [...new Set(causes.map((cause) => cause.id))].join(" and ");
    const facts = evidence.slice(0, 1).flatMap((one) => evidenceLines(one, report, width - 4));
    return [...wrapped(`${id}: ${subject}, because of ${reasons}`, width - 2), ...indented(facts.map(colors.dim))];
  });
  return [colors.bold("Consequences"), ...indented(lines)];
}

function notices(page: Page): string[] {
  const found = page.report.conclusions.filter(({ level }) => level === "notice");
  return found.length === 0 ? [] : [page.colors.bold("Notices"), ...separated(found, page)];
}

function summary({ report, colors, width }: Page): string[] {
  const missing = [...new Set(report.unread.map(({ what }) => what))];
  const gaps = missing.length === 0 ? "" : ` Not read: ${listNames(missing, 4)}.`;
  if (!foundProblems(report)) {
    const text = `Nothing found${gaps === "" ? "." : ` in the data that was read.${gaps}`}`;
    return wrapped(text, width).map(colors.green);
  }
  const roots = rootCauses(report);
  const ids = listNames([...new Set(roots.map(({ id }) => id))], 6);
  const text = `Found ${countOf(roots.length, "cause")}: ${ids}.${gaps} Triage changed nothing.`;
  return wrapped(text, width).map(colors.bold);
}
