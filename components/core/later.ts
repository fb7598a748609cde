import { Output } from "@pulumi/pulumi";

/** Whether a value is known only later: an Output or a Promise. Such a value cannot be checked. */
export function isLater(value: unknown): boolean {
  return Output.isInstance(value) || value instanceof Promise;
}
