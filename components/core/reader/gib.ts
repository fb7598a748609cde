import type { Reading } from "./reading";

/** A size in GiB, as Kubernetes writes it: a quantity such as 100Gi. */
export function gibOf(size: Reading<string>): Reading<number> {
  return size.map((text) => {
    const [, number, unit = ""] = /^(\d+)(Gi?|Ti?)$/.exec(text) ?? [];
    const gib = Number(number) * (unit.startsWith("T") ? 1024 : 1);
    return number === undefined ? undefined : gib;
  }, String);
}
