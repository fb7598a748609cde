import type { Finding } from "../../policies/engine/judge";
import { mandatoryFailures, type Plan } from "../plan";

/** The same words of one rule about one or more resources. */
export interface FindingGroup {
  readonly kind: "fail" | "advice" | "unknown";
  readonly rule: string;
  readonly level: Finding["level"];
  readonly severity: Finding["severity"];
  /** Logical names of the resources; `the stack` for a rule that blames none. */
  readonly names: readonly string[];
  readonly message: string;
}

const severities = ["critical", "high", "medium", "low"];
const kinds = ["fail", "advice", "unknown"];

/** What the rules say, the worst first: mandatory failures, then advice, then what is judged at the update. */
export function groupedFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup>();
  for (const finding of findings) {
    const { rule, level, severity, verdict, message } = finding;
    const key = JSON.stringify([rule, level, verdict, message]);
    const name = finding.name || "the stack";
    const known = groups.get(key);
    groups.set(key, {
      kind: verdict === "unknown" ? "unknown" : level === "mandatory" ? "fail" : "advice",
      rule,
      level,
      severity,
      message,
      names: known ? [...known.names, name] : [name],
    });
  }
  return [...groups.values()].sort(
    (a, b) =>
      kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0),
  );
}

/** The plan's verdict in one sentence. */
export function verdictText(plan: Plan): string {
  const { name, version, rules } = plan.pack;
  const pack = `the pack ${name} ${version} (${counted(rules, "rule")})`;
  const groups = groupedFindings(plan.findings);
  const advice = groups.filter((group) => group.kind === "advice").length;
  const unknown = groups.filter((group) => group.kind === "unknown").length;
  const notes = [
    advice === 0 ? "" : `; ${counted(advice, "piece")} of advice`,
    unknown === 0 ? "" : `; ${counted(unknown, "verdict")} left to the update`,
  ].join("");
  const failed = [...new Set(mandatoryFailures(plan).map((finding) => finding.rule))].sort();
  if (failed.length === 0) return `Accepted by ${pack}${notes}`;
  return `Refused by ${pack}: ${counted(failed.length, "mandatory rule")} not met: ${failed.join(", ")}${notes}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The command to type after reading the report. */
export function nextCommand(plan: Plan): { readonly why: string; readonly command: string } {
  const { stack } = plan.recording;
  return mandatoryFailures(plan).length === 0
    ? { why: "Next, against AWS", command: `pulumi preview --stack ${stack}` }
    : { why: "Put it right, then", command: `npx eks-gpu-lab plan --stack ${stack}` };
}
