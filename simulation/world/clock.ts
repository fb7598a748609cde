/** The time of a simulated world. A tick is one second of it. */
export interface Clock {
  /** Ticks since the world began. */
  now(): number;
  /** Comes back when so many ticks have passed. */
  wait(ticks: number): Promise<void>;
}

/** A clock that never makes anyone wait: each wait moves the time on. */
export function instantClock(): Clock {
  let time = 0;
  return {
    now: () => time,
    wait: (ticks) => {
      time += ticks;
      return Promise.resolve();
    },
  };
}

/**
 * A clock that runs beside the real one, so that what happens at a time overlaps as it would in the cloud.
 *
 * @param millisecondsPerTick how long a second of the world takes, e.g. 1 for a thousandth of its time
 */
export function runningClock(millisecondsPerTick: number): Clock {
  const start = performance.now();
  return {
    now: () => (performance.now() - start) / millisecondsPerTick,
    wait: (ticks) => new Promise((resolve) => setTimeout(resolve, ticks * millisecondsPerTick)),
  };
}
