/** The largest seed: 32 bits. */
export const maxSeed = 2 ** 32 - 1;

/** A seed that is easy to read and type: 1 to 999999. */
export function newSeed(): number {
  return 1 + Math.floor(Math.random() * 999_999);
}

/**
 * Chooses by numbers that depend only on a seed, so that a drill can be repeated. The generator is Mulberry32, which is
 * short and good enough to choose a scenario.
 */
export function randomOf(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** One of the items, which must not be empty. */
  const pick = <T>(items: readonly T[]): T => {
    const found = items[Math.floor(next() * items.length)];
    if (found === undefined) throw new Error("There is nothing to choose from.");
    return found;
  };
  /** The items in another order. */
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: next() }))
      .sort((one, other) => one.at - other.at)
      .map(({ item }) => item);
  return { pick, shuffled };
}
