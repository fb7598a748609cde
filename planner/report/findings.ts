import { countOf, shellText } from "../../components/core/text";
import { unseenRule, type Finding } from "../../policies/engine/judge";
import { severities } from "../../policies/engine/rule";
import { isUrl } from "../manifests/manifest";
import { groupedBy } from "../facts/resource-index";
import { mandatoryFailures, type Plan } from "../plan";
import type { Diagnostic } from "../record/record";

/** One message of a rule about one or more resources. */
export interface FindingGroup {
  readonly kind: "fail" | "advisory" | "unknown";
  readonly rule: string;
  readonly level: Finding["level"];
  readonly severity: Finding["severity"];
  /** Logical names of the resources, with their file; `the stack` for a finding about no single resource. */
  readonly names: readonly string[];
  readonly message: string;
  /** Address or path of a page about the rule. @default none */
  readonly page?: string | undefined;
}

/** The address of the page of a finding's rule; `undefined` if there is none. */
export type PageOf = (finding: Pick<Finding, "rule"> & { readonly page?: string | undefined }) => string | undefined;

/** The page that the pack of a rule names, if it has an address. */
export const addressOf: PageOf = ({ page }) => (page !== undefined && isUrl(page) ? page : undefined);

const kinds = ["fail", "advisory", "unknown"];

/** The findings, most important first: mandatory failures, then advisory findings, then unknown verdicts. */
export function groupedFindings(findings: readonly Finding[]): FindingGroup[] {
  const equal = groupedBy(findings, ({ rule, level, verdict, message }) =>
    JSON.stringify([rule, level, verdict, message]),
  );
  const groups = [...equal.values()].flatMap((own) => own.slice(-1).map((last) => groupOf(last, own)));
  return groups.sort(
    (a, b) =>
      kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0),
  );
}

function groupOf({ rule, level, severity, verdict, message, page }: Finding, own: readonly Finding[]): FindingGroup {
  const kind = verdict === "unknown" ? "unknown" : level === "mandatory" ? "fail" : "advisory";
  return { kind, rule, level, severity, message, page, names: own.map(placeOf) };
}

/** The name of the resource of a finding, and its file. */
export function placeOf({ name, file }: Pick<Finding, "name" | "file">): string {
  return file === undefined ? name || "the stack" : `${name} in ${file}`;
}

/** The plan's verdict in one sentence. What no rule can see is not accepted. */
export function verdictText(plan: Plan): string {
  const { name, version, rules } = plan.pack;
  const pack = `the policy pack ${name} ${version} (${countOf(rules, "rule")})`;
  const groups = groupedFindings(plan.findings);
  const advisory = groups.filter((group) => group.kind === "advisory").length;
  const unknown = groups.filter((group) => group.kind === "unknown").length;
  const notes = [
    advisory === 0 ? "" : `; ${countOf(advisory, "advisory finding")}`,
    unknown === 0 ? "" : `; ${countOf(unknown, "verdict")} unknown before the update`,
  ].join("");
  const failed = [...new Set(mandatoryFailures(plan).map((finding) => finding.rule))].sort();
  const isSeen = plan.findings.every(({ rule }) => rule !== unseenRule);
  if (failed.length === 0 && !isSeen) return `Not rejected by ${pack}, but not everything is seen${notes}`;
  if (failed.length === 0) return `Accepted by ${pack}${notes}`;
  return `Rejected by ${pack}: ${countOf(failed.length, "mandatory rule")} failed: ${failed.join(", ")}${notes}`;
}

/** The warnings and errors that the program logged, and those of the plan itself, each once. */
export function messagesOf({ recording }: Plan): Pick<Diagnostic, "severity" | "message">[] {
  const shown = recording.diagnostics.filter(({ severity }) => severity !== "info");
  const messages = shown.map(({ severity, message }) => ({ severity, message: message.trim() }));
  return [...new Map(messages.map((one) => [`${one.severity} ${one.message}`, one])).values()];
}

/** The command to run after reading the report. */
export function nextCommand(plan: Plan): { readonly why: string; readonly command: string } {
  const { stack } = plan.recording;
  const { config = [], pack, policyPack, policyConfig, answers } = plan.repeat ?? {};
  const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  if (mandatoryFailures(plan).length === 0) {
    const judged = [
      ...option("--policy-pack", policyPack),
      ...option("--policy-pack-config", policyPack === undefined ? undefined : policyConfig),
    ];
    return {
      why: "Next, preview it with Pulumi",
      command: `pulumi preview ${shellText(["--stack", stack, ...judged])}`,
    };
  }
  const repeated = [
    ...["--stack", stack],
    ...option("--pack", pack),
    ...option("--policy-config", policyConfig),
    ...option("--answers", answers),
    ...config.flatMap((override) => option("--config", override)),
  ];
  return { why: "Fix the failed rules, then run", command: `npx eks-gpu-lab plan ${shellText(repeated)}` };
}
