import type { Finding } from "../policies/engine/judge";
import type { CostReport } from "./cost/cost";
import type { Recording } from "./record/record";

/** Everything a report of a plan shows. */
export interface Plan {
  readonly recording: Recording;
  readonly cost: CostReport;
  readonly findings: readonly Finding[];
  /** The policy pack that judged the resources, and how many rules it has. */
  readonly pack: { readonly name: string; readonly version: string; readonly rules: number };
  readonly region: string;
  /** Full configuration keys to their values, shown by `--json`. Encrypted values must stand there as `[secret]`. */
  readonly config?: Readonly<Record<string, string>>;
}

/** The findings that make a plan refused. An `unknown` never does: the rule is judged again at the update. */
export function mandatoryFailures(plan: Pick<Plan, "findings">): readonly Finding[] {
  return plan.findings.filter((finding) => finding.level === "mandatory" && finding.verdict === "fail");
}
