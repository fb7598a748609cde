import type { AlertName } from "../../components/observe/alerts/gpu-alert-rules";
import type { RuleId } from "../../policies/packs/lab/rules";
import type { LabName } from "../../stacks/labs";
import type { ConclusionId } from "../../triage/conclusions";

/** One failure scenario, and everything in this project that deals with it. */
export interface Failure {
  /** What happens, as a short sentence. */
  readonly what: string;
  /** The labs that inject the failure. */
  readonly labs?: readonly LabName[];
  /** The policy rules that reject it before it is deployed. */
  readonly rules?: readonly RuleId[];
  /** The alerts that fire. */
  readonly alerts?: readonly AlertName[];
  /** The conclusions that triage draws. */
  readonly conclusions?: readonly ConclusionId[];
}

/** Failures by the heading of their section. */
export type Failures = Readonly<Record<string, readonly Failure[]>>;
