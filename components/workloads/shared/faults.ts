import { getStack } from "@pulumi/pulumi";
import * as v from "valibot";
import { expiresAnnotation, expiryProblems, faultAnnotation, labStackProblems } from "../../core/faults";
import type { Problem } from "../../core/problems";
import { s, type GivenOf } from "../../core/schema";

/** The end of a fault, checked against the clock of the machine. */
function expiry() {
  return v.pipe(
    s.anything<string>(),
    s.check((got, path) => expiryProblems(path, got, new Date())),
    s.formed("string"),
  );
}

/** The arguments of every component that injects a fault. */
export const faultArgs = s.section({
  /**
   * The end of the fault: a day such as `2026-12-01`, which ends at midnight UTC, or a time such as
   * `2026-12-01T18:00:00Z`. Must be in the future, at most 14 days ahead. After that time the program is rejected until
   * you remove the fault.
   */
  expires: expiry(),
});

/** The arguments of every component that injects a fault. */
export interface FaultArgs extends Readonly<GivenOf<typeof faultArgs>> {}

/** The value of the key `fault` in a configuration. */
export function onOrOff() {
  return s.optional(s.oneOf(["off", "on"], { true: "on", false: "off" }), "off");
}

/** The problem of a fault in a stack that is not a lab. */
export function stackProblems(): Problem[] {
  return labStackProblems(getStack());
}

/** Marks an object as a fault in the cluster, with its end. */
export function faultAnnotations({ expires }: FaultArgs): Record<string, string> {
  return { [faultAnnotation]: "on", [expiresAnnotation]: expires };
}
