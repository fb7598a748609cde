import type { Reading } from "../../core/reading";
import type { Truth } from "../../core/unknown";

/** What is to be said of the day on which something ends. */
export interface Expiry {
  /** Whether it is a day, not past, and near enough. */
  readonly isFine: Truth;
  readonly got: string;
  readonly why: string;
  /** A day that would do. */
  readonly example: string;
}

const day = 24 * 60 * 60 * 1000;

/** Judges a day such as `2026-12-01`, which ends at midnight UTC, or a time such as `2026-12-01T18:00:00Z`. */
export function expiry(expires: Reading<string>, now: Date, maxDays: number): Expiry {
  const today = now.getTime();
  const end = expires.map(endOf, ({ text }) => text);
  const example = dayOf(today + day);
  const isFine = end.is(({ begins, ends }) => today < ends && begins <= today + maxDays * day);
  if (!end.value) {
    const got = expires.isAbsent === true ? "nothing" : "no day such as 2026-12-01";
    return { isFine, got, why: "Nobody then knows when the fault is to go, and it stays.", example };
  }
  const isPast = end.value.ends <= today;
  const why = isPast ? "The fault should be gone by now." : `That is more than ${maxDays} days from today.`;
  return { isFine, got: end.shown, why, example };
}

/** A day or a point in time. */
interface End {
  readonly text: string;
  readonly begins: number;
  readonly ends: number;
}

function endOf(given: string): End | undefined {
  const text = given.trim();
  const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const begins = form ? Date.parse(text) : Number.NaN;
  // JavaScript takes 2026-02-30 for a day of March.
  if (!form?.[1] || !Number.isFinite(begins) || dayOf(Date.parse(form[1])) !== form[1]) return undefined;
  return { text, begins, ends: form[2] === undefined ? begins + day : begins };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
