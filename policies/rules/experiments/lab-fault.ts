import { longestFaultDays } from "../../../components/core/faults";
import { matchesAny } from "../../engine/glob";
import { texts } from "../../engine/parameters";
import type { Surroundings } from "../../engine/resource";
import { all, type Truth } from "../../../components/core/reader/truth";
import { expiry } from "./expiry";
import { labStackNames } from "./stack-names";

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
