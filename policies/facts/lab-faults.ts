import { endOf, inDays, isAhead, labStackNames, longestFaultDays } from "../../components/core/faults";
import { all, equals, type Reading, type Truth } from "../engine/values";
import { matchesAny } from "../engine/glob";
import { texts } from "../engine/parameters";
import type { Surroundings } from "../engine/resource";

/** Keys of the stack configuration: the toggle of the lab's fault, and its end. */
export const faultKey = "eks-gpu-lab:fault";
export const expiresKey = "eks-gpu-lab:expires";

/** The parameter of a rule that allows a lab to inject the failure that the rule prevents. */
export const labStacks = texts(
  labStackNames,
  "Names of stacks in which the lab may inject this failure, while eks-gpu-lab:fault is on and eks-gpu-lab:expires is in the future. `*` matches any text, `?` one character.",
);

/** Whether the stack runs this lab and injects its fault, with an end. */
export function isInjected(lab: string, stacks: readonly string[], { stack, config, now }: Surroundings): Truth {
  const own = config.text(["eks-gpu-lab:lab"]);
  const isLab = own.isAbsent === true ? stack === lab : own.is((name) => (name === "" ? stack : name) === lab);
  const isOn = equals(config.at([faultKey]).choice(undefined, ["on"]), "on");
  const end = expiry(config.at([expiresKey]).text(), now, longestFaultDays);
  return all(matchesAny(stack, stacks), isLab, isOn, end.isValid);
}

/** The end of a fix, for packs that allow lab stacks. */
export function orInject(lab: string, stacks: readonly string[]): string {
  return stacks.length === 0 ? "" : `, or inject it with the lab ${lab}, whose fault has an end date`;
}

/**
 * Checks a day such as `2026-12-01`, which ends at midnight UTC, or a time such as `2026-12-01T18:00:00Z`. It is valid if
 * it is in the future, and near enough. `example` is a valid day.
 */
export function expiry(expires: Reading<string>, now: Date, maxDays: number) {
  const end = expires.map(endOf, ({ text }) => text);
  const example = inDays(1, now);
  const isValid = end.is((stated) => isAhead(stated, now, maxDays));
  if (!end.value) {
    const got = expires.isAbsent === true ? "nothing" : "a value that is not a date such as 2026-12-01";
    return { isValid, got, why: "Without an end date, the fault can remain by mistake.", example };
  }
  const isPast = end.value.ends <= now.getTime();
  const why = isPast ? "The fault should have ended." : `The end date is more than ${maxDays} days from today.`;
  return { isValid, got: end.shown, why, example };
}
