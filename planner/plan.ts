import type { Finding } from "../policies/engine/judge";
import type { ServedPack } from "../policies/engine/serve";
import type { CostReport } from "./cost/cost";
import type { Recording } from "./record/record";
import { isOnAws } from "./stack-region";

/** The content of a plan's report. */
export interface Plan {
  readonly recording: Recording;
  readonly cost: CostReport;
  readonly findings: readonly Finding[];
  /** The policy pack that judged the resources. */
  readonly pack: Omit<ServedPack, "judge">;
  readonly region: string;
  /** Full configuration keys to their values, for `--json`. Encrypted values are `[secret]`. */
  readonly config?: Readonly<Record<string, string>>;
  /** What was given besides the stack, to repeat the plan. @default nothing */
  readonly repeat?: PlanArguments;
}

/** Options of the command line that change what a plan finds. */
export interface PlanArguments {
  /** Values of `--config`. */
  readonly config: readonly string[];
  /** The value of `--pack`, unless it is the default. */
  readonly pack?: string;
  /** The value of `--pack` if the Pulumi engine can start it, too. */
  readonly policyPack?: string;
  /** The file of `--policy-config`. */
  readonly policyConfig?: string;
  /** The file of `--answers`. */
  readonly answers?: string;
}

/** ` in REGION`; empty for a stack without resources on AWS, such as a lab on a local cluster. */
export function placeText({ recording, region }: Pick<Plan, "recording" | "region">): string {
  return recording.resources.some(isOnAws) ? ` in ${region}` : "";
}

/** The findings that reject a plan. An `unknown` verdict does not: the update judges the rule again. */
export function mandatoryFailures(plan: Pick<Plan, "findings">): readonly Finding[] {
  return plan.findings.filter((finding) => finding.level === "mandatory" && finding.verdict === "fail");
}
