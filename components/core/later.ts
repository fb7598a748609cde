import type { Problem } from "./problems";
import { isOutput } from "./sdk-marks";

/** Whether a value is known only later: an Output or a Promise. Such a value cannot be checked. */
export function isLater(value: unknown): boolean {
  return isOutput(value) || value instanceof Promise;
}

/** An Output or a Promise comes too late for what decides which resources are made, or must be safe before they are. */
export function tooLate(path: string): Problem[] {
  const why = "It must be known when the program starts, so that it can be checked.";
  return [{ code: "wrong-type", path, got: "an Output", why, fix: `set ${path} to a plain value` }];
}
