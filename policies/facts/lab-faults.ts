import { endOf, inDays, isAhead, longestFaultDays } from "../../components/core/faults";
import type { Reading } from "../../components/core/reader/reading";
import { all, type Truth } from "../../components/core/reader/truth";
import { matchesAny } from "../engine/glob";
import { texts } from "../engine/parameters";
import type { Surroundings } from "../engine/resource";
import { labStackNames } from "../../components/core/faults";

/** Keys of a stack's configuration: what turns its lab's fault on, and when that ends. */
export const faultKey = "eks-gpu-lab:fault";
export const expiresKey = "eks-gpu-lab:expires";

/** The parameter of a rule that lets a lab have the accident that it is about. */
export const labStacks = texts(
  labStackNames,
  "Names of stacks in which the lab of this accident may bring it about, while eks-gpu-lab:fault is on and eks-gpu-lab:expires lies ahead; * stands for any text, ? for one character.",
);

/** Whether the stack runs that lab, and its fault is on: the accident is then meant, and ends. */
export function isFaultOf(lab: string, stacks: readonly string[], { stack, config, now }: Surroundings): Truth {
  const own = config.text(["eks-gpu-lab:lab"]);
  const isLab = own.isAbsent === true ? stack === lab : own.is((name) => (name === "" ? stack : name) === lab);
  const fault = config.at([faultKey]).choice(undefined, ["on"]);
  const end = expiry(config.at([expiresKey]).text(), now, longestFaultDays);
  return all(
    matchesAny(stack, stacks),
    isLab,
    fault.is(() => true),
    end.isFine,
  );
}

/** What else may be done, where the pack knows labs. */
export function orByLab(lab: string, stacks: readonly string[]): string {
  return stacks.length === 0 ? "" : `, or let the lab ${lab} bring it about, whose fault has an end`;
}

/** What is to be said of the day on which something ends. */
export interface Expiry {
  /** Whether it is a day, not past, and near enough. */
  readonly isFine: Truth;
  readonly got: string;
  readonly why: string;
  /** A day that would do. */
  readonly example: string;
}

/** Judges a day such as `2026-12-01`, which ends at midnight UTC, or a time such as `2026-12-01T18:00:00Z`. */
export function expiry(expires: Reading<string>, now: Date, maxDays: number): Expiry {
  const end = expires.map(endOf, ({ text }) => text);
  const example = inDays(1, now);
  const isFine = end.is((stated) => isAhead(stated, now, maxDays));
  if (!end.value) {
    const got = expires.isAbsent === true ? "nothing" : "no day such as 2026-12-01";
    return { isFine, got, why: "Nobody then knows when the fault is to go, and it stays.", example };
  }
  const isPast = end.value.ends <= now.getTime();
  const why = isPast ? "The fault should be gone by now." : `That is more than ${maxDays} days from today.`;
  return { isFine, got: end.shown, why, example };
}
