import pc from "picocolors";
import { aligned, pageOf, pageWidth, wrapped } from "../../components/core/text";
import type { Subject } from "../dump/dump";
import type { Conclusion, Evidence } from "../finding";
import { foundProblems, type Report } from "../triage";
import { duration, secondsBetween } from "../walk/age";
import { counted, some } from "../walk/seen";

export interface TextOptions {
  readonly colors: boolean;
  /** Width of the terminal in characters; the report uses 60 to 100 of them. */
  readonly columns: number;
}

interface Page {
  readonly report: Report;
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly width: number;
}

/** The report for people, in the order walked. Says the same without colours. */
export function renderText(report: Report, options: TextOptions): string {
  const width = pageWidth(options.columns);
  const page: Page = { report, colors: pc.createColors(options.colors), width };
  const sections = [
    heading(page),
    walk(page),
    unread(page),
    causes(page),
    consequences(page),
    notices(page),
    closing(page),
  ];
  return pageOf(sections);
}

function heading({ report, colors, width }: Page): string[] {
  const where = report.context === undefined ? "" : ` in ${report.context}`;
  const [first = "", ...rest] = wrapped(
    `Triage of ${subjectText(report.subject)}${where}, ${report.takenAt === undefined ? "as of a time not known" : `as of ${report.takenAt}`}`,
    width,
  );
  return [colors.bold(first), ...rest];
}

function subjectText(subject: Subject | undefined): string {
  if (!subject) return "the cluster";
  return subject.kind === "pod" ? `pod ${subject.namespace}/${subject.name}` : `node ${subject.name}`;
}

function walk({ report, colors, width }: Page): string[] {
  const rows = report.walk.flatMap(({ station, lines }) =>
    (lines.length > 0 ? lines : ["could not be read"]).map((line, at) => [at === 0 ? station : "", line]),
  );
  return [colors.bold("Walk"), ...aligned(rows, [{}, { flexible: true }], width - 2).map((line) => `  ${line}`)];
}

function unread({ report, colors, width }: Page): string[] {
  if (report.unread.length === 0) return [];
  const lines = report.unread.flatMap(({ what, where, why }) => wrapped(`${what} of ${where}: ${why}`, width - 2));
  return [colors.bold("Not read, so not judged"), ...lines.map((line) => `  ${colors.yellow(line)}`)];
}

function causes(page: Page): string[] {
  const found = page.report.conclusions.filter(({ level, because }) => level === "problem" && because === undefined);
  if (found.length === 0) return [];
  const title = page.colors.bold(found.length === 1 ? "Conclusion" : "Conclusions");
  return [title, ...spaced(found, page), ...leftOut(page)];
}

function leftOut({ report, colors, width }: Page): string[] {
  if (!report.leftOut) return [];
  const text = `Not judged, because they are many: ${report.leftOut.join("; ")}. Ask about one: triage pod NAME.`;
  return ["", ...wrapped(text, width - 2).map((line) => `  ${colors.yellow(line)}`)];
}

function spaced(conclusions: readonly Conclusion[], page: Page): string[] {
  return conclusions.flatMap((one, at) => [...(at > 0 ? [""] : []), ...conclusionLines(one, page)]);
}

function conclusionLines(conclusion: Conclusion, { report, colors, width }: Page): string[] {
  const { id, subject, sure, what, evidence, next, level } = conclusion;
  const room = width - 4;
  const paint = level === "problem" ? colors.red : colors.yellow;
  const [first = "", ...more] = wrapped(`${id}: ${subject} (${sure})`, width - 2);
  const head = [paint(first.slice(0, id.length)) + first.slice(id.length), ...more];
  const seen = evidence.map((one) => [one.object, evidenceText(one, report)]);
  const steps = next.flatMap((step) => [
    ...wrapped(`${step.why}${step.changes ? " (this changes something)" : ""}:`, room),
    ...command(step.command).map((line) => `  ${colors.cyan(line)}`),
  ]);
  return [
    ...head.map((line) => `  ${line}`),
    ...wrapped(what, room).map((line) => `    ${line}`),
    ...facts(seen, room).map((line) => `    ${colors.dim(line)}`),
    ...steps.map((line) => `    ${line}`),
  ];
}

/** Object and fact, one under the other: names of nodes are too long for a column. */
function facts(rows: readonly (readonly string[])[], room: number): string[] {
  return rows.flatMap(([object = "", fact = ""]) => {
    const [first = "", ...rest] = wrapped(`seen ${object}: ${fact}`, room);
    return [first, ...rest.map((line) => `  ${line}`)];
  });
}

function evidenceText({ field, value, at }: Evidence, { takenAt }: Report): string {
  const age = secondsBetween(at, Date.parse(takenAt ?? ""));
  return `${field} = ${value.replace(/\s+/g, " ")}${age === undefined ? "" : `, ${duration(age)} ago`}`;
}

/** A command is to be copied: it is never broken, however long. */
function command(text: string): string[] {
  return text.split("\n");
}

function consequences({ report, colors, width }: Page): string[] {
  const found = report.conclusions.filter(({ level, because }) => level === "problem" && because !== undefined);
  if (found.length === 0) return [];
  const lines = found.flatMap(({ id, subject, causes = [], evidence }) => {
    const seen = evidence.slice(0, 1).map((one) => [one.object, evidenceText(one, report)]);
    return [
      ...wrapped(`${id}: ${subject}, because of ${[...new Set(causes.map((one) => one.id))].join(" and ")}`, width - 2),
      ...facts(seen, width - 4).map((line) => `  ${colors.dim(line)}`),
    ];
  });
  return [colors.bold("Consequences"), ...lines.map((line) => `  ${line}`)];
}

function notices(page: Page): string[] {
  const found = page.report.conclusions.filter(({ level }) => level === "notice");
  return found.length === 0 ? [] : [page.colors.bold("Worth knowing"), ...spaced(found, page)];
}

function closing({ report, colors, width }: Page): string[] {
  const problems = report.conclusions.filter(({ level }) => level === "problem");
  const gaps =
    report.unread.length === 0
      ? ""
      : ` What could not be read: ${some(
          report.unread.map(({ what }) => what),
          4,
        )}.`;
  if (!foundProblems(report)) {
    return wrapped(`Nothing found${gaps === "" ? "." : ` in what could be read.${gaps}`}`, width).map((line) =>
      colors.green(line),
    );
  }
  const roots = problems.filter(({ because }) => because === undefined);
  const text = `Found ${counted(roots.length, "cause")}: ${some([...new Set(roots.map(({ id }) => id))], 6)}.${gaps} Triage has only read.`;
  return wrapped(text, width).map((line) => colors.bold(line));
}
