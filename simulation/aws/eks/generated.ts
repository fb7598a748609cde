import { createHash } from "node:crypto";
import type { SimulatedCloud } from "../../cloud/simulated-cloud";

/**
 * Hexadecimal digits that depend on a name and on the history of the cloud. A cluster that is recreated with the same name
 * gets another endpoint; the same run of a simulation gets the same digits.
 */
export function hexFor(cloud: SimulatedCloud, name: string, length: number): string {
  return createHash("sha256").update(`${name} ${cloud.history.length}`).digest("hex").slice(0, length);
}

/** A UUID from {@link hexFor}. */
export function uuidFor(cloud: SimulatedCloud, name: string): string {
  const digits = hexFor(cloud, name, 32);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/** The current time of the cloud in the format of AWS. It starts at the beginning of 2026. */
export function timestampIn(cloud: SimulatedCloud): string {
  return new Date(Date.UTC(2026, 0, 1) + Math.floor(cloud.now) * 1000).toISOString().replace(".000Z", "Z");
}
