import { createHash } from "node:crypto";
import type { CloudState } from "../../cloud/model";

/**
 * Hexadecimal digits that depend on a name and on the history of the cloud. A cluster that is recreated with the same name
 * gets another endpoint; the same run of a simulation gets the same digits.
 */
export function hexFor(cloud: CloudState, name: string, length: number): string {
  return createHash("sha256").update(`${name} ${cloud.history.length}`).digest("hex").slice(0, length);
}

/** A UUID from {@link hexFor}. */
export function uuidFor(cloud: CloudState, name: string): string {
  const digits = hexFor(cloud, name, 32);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/** The date of the cloud in the format of AWS, to the second. */
export function timestampIn({ date }: CloudState): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
