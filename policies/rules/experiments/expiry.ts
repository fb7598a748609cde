import { endOf, inDays, isAhead } from "../../../components/core/faults";
import type { Reading } from "../../../components/core/reader/reading";
import type { Truth } from "../../../components/core/reader/truth";

/** What is to be said of the day on which something ends. */
export interface Expiry {
  /** Whether it is a day, not past, and near enough. */
  readonly isFine: Truth;
  readonly got: string;
  readonly why: string;
  /** A day that would do. */
  readonly example: string;
}

/** Judges a day such as `2026-12-01`, which ends at midnight UTC, or a time such as `2026-12-01T18:00:00Z`. */
export function expiry(expires: Reading<string>, now: Date, maxDays: number): Expiry {
  const end = expires.map(endOf, ({ text }) => text);
  const example = inDays(1, now);
  const isFine = end.is((stated) => isAhead(stated, now, maxDays));
  if (!end.value) {
    const got = expires.isAbsent === true ? "nothing" : "no day such as 2026-12-01";
    return { isFine, got, why: "Nobody then knows when the fault is to go, and it stays.", example };
  }
  const isPast = end.value.ends <= now.getTime();
  const why = isPast ? "The fault should be gone by now." : `That is more than ${maxDays} days from today.`;
  return { isFine, got: end.shown, why, example };
}
