import type { Meta } from "../objects/common";

/** How long what is new has to settle: images take minutes to pull, a driver and a device plugin to start. */
export const settlingSeconds = 600;

/** Whether an object is new: a node whose driver and plugin may still be on the way, a pod that may still start. */
export function isYoung({ metadata }: { readonly metadata: Meta }, now: number): boolean {
  return (secondsBetween(metadata.creationTimestamp, now) ?? Infinity) < settlingSeconds;
}

/** Seconds from a time to another; undefined when either is none. */
export function secondsBetween(from: string | undefined, to: number): number | undefined {
  const start = Date.parse(from ?? "");
  return Number.isNaN(start) || Number.isNaN(to) ? undefined : Math.max(0, Math.round((to - start) / 1000));
}

/** A duration as kubectl writes it: `45s`, `9m40s`, `3h56m`, `5d3h`, `120d`. */
export function duration(seconds: number): string {
  const [day, hour, minute] = [86_400, 3600, 60];
  const two = (whole: number, unit: string, rest: number, smaller: string) =>
    `${whole}${unit}${rest > 0 ? `${rest}${smaller}` : ""}`;
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 3 * hour) return two(Math.floor(seconds / minute), "m", seconds < 600 ? seconds % minute : 0, "s");
  if (seconds < 2 * day) return two(Math.floor(seconds / hour), "h", Math.floor((seconds % hour) / minute), "m");
  return two(Math.floor(seconds / day), "d", seconds < 8 * day ? Math.floor((seconds % day) / hour) : 0, "h");
}
