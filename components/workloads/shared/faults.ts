import { getStack } from "@pulumi/pulumi";
import { expiresAnnotation, faultAnnotation } from "../../core/faults";
import { labStackProblems } from "../../core/faults";
import type { Problem } from "../../core/problems";

/** What every component takes that injects a fault. */
export interface FaultArgs {
  /**
   * When the fault is to be gone: a day such as `2026-12-01`, which ends at midnight UTC, or a time such as
   * `2026-12-01T18:00:00Z`. Not past, and at most 14 days ahead; from then on the program is refused until the fault is
   * taken out.
   */
  readonly expires: string;
}

/** Whether this stack may hold a fault at all. */
export function stackProblems(): Problem[] {
  return labStackProblems(getStack());
}

/** Shows in the cluster what a fault is, and when it should be gone. */
export function faultAnnotations({ expires }: FaultArgs): Record<string, string> {
  return { [faultAnnotation]: "on", [expiresAnnotation]: expires };
}
