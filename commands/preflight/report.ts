import { renderProblem } from "../../components/core/problems";
import { countOf, indented, pageOf, wrapped } from "../../components/core/text";
import { textPage, type TextOptions, type TextPage } from "../../components/core/text-page";
import type { CheckResult, EnvironmentResults } from "../../aws/account/check-result";

export interface PreflightReport {
  readonly stack: string;
  readonly region: string;
  readonly account: string;
  /** ARN of the identity. */
  readonly caller: string;
  readonly environments: readonly EnvironmentResults[];
  /** What limits the checks. */
  readonly notes: readonly string[];
}

/** The report for people. Colors add no information. */
export function renderPreflight(report: PreflightReport, options: TextOptions): string {
  const page = textPage(options);
  const { colors, width } = page;
  const { stack, region, account, caller, environments, notes } = report;
  const title = `Preflight of stack ${stack}`;
  return pageOf([
    [`${colors.bold(title)} in ${region}`, ...indented(wrapped(`account ${account}, as ${caller}`, width - 2))],
    ...environments.map((environment) => environmentLines(environment, environments.length > 1, page)),
    notes.flatMap((note) => wrapped(`note: ${note}`, width)),
    [summaryOf(environments)],
  ]);
}

function environmentLines({ name, results }: EnvironmentResults, isNamed: boolean, page: TextPage): string[] {
  const lines = results.flatMap((result) => resultLines(result, page));
  return isNamed ? [name, ...indented(lines)] : lines;
}

const longestStatus = "problem".length;

function resultLines(result: CheckResult, { colors, width }: TextPage): string[] {
  const { status, title, reason } = result;
  const paint = {
    ok: colors.green,
    problem: colors.red,
    warning: colors.yellow,
    skipped: colors.dim,
    unread: colors.yellow,
  }[status];
  const indent = longestStatus + 4;
  const text = reason === undefined ? title : `${title}: ${reason}`;
  const [first = "", ...more] = wrapped(text, width - indent);
  return [
    `  ${paint(status.padEnd(longestStatus))}  ${first}`,
    ...indented(more, indent),
    ...indented(detailsOf(result, width - indent), indent),
  ];
}

/** A fix may be a command to copy: its line does not wrap. */
function detailsOf({ problems, warnings, violations = [] }: CheckResult, width: number): string[] {
  const texts = [
    ...problems.map((problem) => renderProblem(problem)),
    ...violations.map(({ rule, resource, message }) => `${rule}, ${resource || "the stack"}: ${message}`),
    ...warnings,
  ];
  return texts.flatMap((text) => {
    const [what = "", ...fix] = text.split("\n");
    return [...wrapped(what, width), ...fix.map((line) => `  ${line.trim()}`)];
  });
}

function summaryOf(environments: readonly EnvironmentResults[]): string {
  const results = environments.flatMap((environment) => environment.results);
  const count = (status: CheckResult["status"]) => results.filter((one) => one.status === status).length;
  const parts = [
    countOf(count("problem"), "problem"),
    countOf(count("warning"), "warning"),
    `${count("skipped")} skipped`,
    ...(count("unread") > 0 ? [`${count("unread")} could not be read`] : []),
  ];
  return `${countOf(results.length, "check")}: ${parts.join(", ")}`;
}

/** The JSON document. Keys are added, never renamed. */
export function preflightDocument(report: PreflightReport): Readonly<Record<string, unknown>> {
  const { stack, region, account, caller, environments, notes } = report;
  return {
    ...{ kind: "Preflight", version: 1, outcome: outcomeOf(report) },
    ...{ stack, region, account, caller },
    environments: environments.map(({ name, clusterName, results }) => ({
      ...{ name, clusterName },
      checks: results.map(({ id, title, status, reason = null, problems, warnings, violations = [] }) => ({
        ...{ id, title, status, reason, problems, warnings, violations },
      })),
    })),
    notes,
  };
}

/** `unread`: no problem was found, and not everything could be read. */
export function outcomeOf({ environments }: PreflightReport): "ok" | "problems" | "unread" {
  const statuses = environments.flatMap(({ results }) => results.map(({ status }) => status));
  if (statuses.includes("problem")) return "problems";
  return statuses.includes("unread") ? "unread" : "ok";
}
