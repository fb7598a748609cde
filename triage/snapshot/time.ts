import type { Meta } from "./objects/resources";

/** How long a new object has to start: pulling images, a driver and a device plugin take minutes. */
export const startupSeconds = 600;

/** How long a pod waits before its wait means something: a GPU may just have become free. */
export const leastWaitSeconds = 30;

/** Whether an object is so new that it may still be starting. */
export function isNew({ metadata }: { readonly metadata: Meta }, now: number): boolean {
  return (secondsBetween(metadata.creationTimestamp, now) ?? Infinity) < startupSeconds;
}

/** The time an object was created; NaN if it is not known. */
export function createdAt({ metadata }: { readonly metadata: Meta }): number {
  return Date.parse(metadata.creationTimestamp ?? "");
}

/** Seconds from one time to another; undefined if either is not known. */
export function secondsBetween(from: string | undefined, to: number): number | undefined {
  const start = Date.parse(from ?? "");
  return Number.isNaN(start) || Number.isNaN(to) ? undefined : Math.max(0, Math.round((to - start) / 1000));
}

/** The age of an object as kubectl writes it; `0s` if it is not known. */
export function ageOf({ metadata }: { readonly metadata: Meta }, now: number): string {
  return formatDuration(secondsBetween(metadata.creationTimestamp, now) ?? 0);
}

/** A duration as kubectl writes it: `45s`, `9m40s`, `3h56m`, `5d3h`, `120d`. */
export function formatDuration(seconds: number): string {
  const [day, hour, minute] = [86_400, 3600, 60];
  const two = (whole: number, unit: string, rest: number, smaller: string) =>
    `${whole}${unit}${rest > 0 ? `${rest}${smaller}` : ""}`;
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 3 * hour) return two(Math.floor(seconds / minute), "m", seconds < 600 ? seconds % minute : 0, "s");
  if (seconds < 2 * day) return two(Math.floor(seconds / hour), "h", Math.floor((seconds % hour) / minute), "m");
  return two(Math.floor(seconds / day), "d", seconds < 8 * day ? Math.floor((seconds % day) / hour) : 0, "h");
}
