import { createHash } from "node:crypto";
import type { SimulatedCloud } from "../../cloud/simulated-cloud";

/**
 * Hexadecimal digits that follow from a name and from what has happened in the cloud: a cluster that is made again under
 * its old name gets another endpoint, and a cloud that is run again gets the same one.
 */
export function hexFor(cloud: SimulatedCloud, name: string, length: number): string {
  return createHash("sha256").update(`${name} ${cloud.history.length}`).digest("hex").slice(0, length);
}

/** A UUID of such digits. */
export function uuidFor(cloud: SimulatedCloud, name: string): string {
  const digits = hexFor(cloud, name, 32);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/** When it is in the cloud, as AWS writes it. The cloud begins with 2026. */
export function timestampIn(cloud: SimulatedCloud): string {
  return new Date(Date.UTC(2026, 0, 1) + Math.floor(cloud.now) * 1000).toISOString().replace(".000Z", "Z");
}
