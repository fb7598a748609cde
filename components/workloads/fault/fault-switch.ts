import { Config, getStack } from "@pulumi/pulumi";
import { configuredFaultProblems } from "../../core/faults";
import { refuse } from "../../core/problems";
import { s, parse } from "../../core/schema";
import { onOrOff } from "../shared/faults";

/** The fault of a lab, as the configuration of its stack sets it. */
export interface FaultSwitch {
  /** Whether the program injects the fault. */
  readonly isOn: boolean;
  /** End of the fault, as the configuration states it. Undefined while the fault is off. */
  readonly expires: string | undefined;
}

const keys = s.section({ fault: onOrOff(), expires: s.optional(s.text()) });

/**
 * Reads the fault of your own lab from the configuration of its stack.
 *
 * - `fault`: `on` or `off`, by default `off`.
 * - `expires`: the end of the fault, a day such as `2026-12-01` or a time such as `2026-12-01T18:00:00Z`, at most 14 days
 *   ahead. Required while the fault is on. After it, every preview and update is rejected until you remove the fault.
 *
 * A fault can be on only in a lab stack: a name that ends in `-lab` or begins with `lab-`, or that of a lab of this library.
 *
 * @param config the keys' namespace @default the project's
 * @throws InputError with every problem of the keys and of the stack's name
 */
export function faultSwitch(config = new Config()): FaultSwitch {
  const subject = `stack ${getStack()}`;
  const { value, problems } = parse(keys, { fault: config.get("fault"), expires: config.get("expires") });
  refuse(subject, problems);
  if (value?.fault !== "on") return { isOn: false, expires: undefined };
  refuse(subject, configuredFaultProblems(getStack(), value.expires, new Date()));
  return { isOn: true, expires: value.expires };
}
