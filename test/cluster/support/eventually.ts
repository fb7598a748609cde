import { setTimeout as sleep } from "node:timers/promises";

/**
 * What `probe` returns as soon as it is defined.
 *
 * @throws Error with what was last seen, if that takes more than `seconds`
 */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  { seconds = 60, seen }: { readonly seconds?: number; readonly seen?: () => unknown } = {},
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) {
      const detail = seen ? ` Last seen: ${JSON.stringify(await seen())}` : "";
      throw new Error(`Waited ${seconds} s for ${what}.${detail}`);
    }
    await sleep(150);
  }
}
