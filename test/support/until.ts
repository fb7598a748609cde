import { setTimeout as sleep } from "node:timers/promises";

/** Waits for a condition. Only the time-out of the test ends the wait, so a busy machine changes no result. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}
