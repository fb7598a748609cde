import { createHash } from "node:crypto";
import type { World } from "../../world/world";

/**
 * Hexadecimal digits that follow from a name and from what has happened in the world: a cluster that is made again under
 * its old name gets another endpoint, and a world that is run again gets the same one.
 */
export function digitsFor(world: World, name: string, length: number): string {
  return createHash("sha256").update(`${name} ${world.history.length}`).digest("hex").slice(0, length);
}

/** A UUID of such digits. */
export function uuidFor(world: World, name: string): string {
  const digits = digitsFor(world, name, 32);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/** When it is in the world, as AWS writes it. The world begins with 2026. */
export function timeIn(world: World): string {
  return new Date(Date.UTC(2026, 0, 1) + Math.floor(world.now) * 1000).toISOString().replace(".000Z", "Z");
}
