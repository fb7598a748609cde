/** The time of a simulated cloud, in seconds. */
export interface Clock {
  /** Seconds since the cloud was created. */
  now(): number;
  /** Resolves when the given number of seconds has passed. */
  wait(seconds: number): Promise<void>;
}

/** A clock that moves forward on each wait: nothing takes real time. */
export function instantClock(): Clock {
  let time = 0;
  return {
    now: () => time,
    wait: (seconds) => {
      time += seconds;
      return Promise.resolve();
    },
  };
}

/**
 * A clock that runs faster than real time, so that operations overlap as they do in AWS.
 *
 * @param millisecondsPerSecond real milliseconds per simulated second, e.g. 1 for a thousand times real time
 */
export function runningClock(millisecondsPerSecond: number): Clock {
  const start = performance.now();
  return {
    now: () => (performance.now() - start) / millisecondsPerSecond,
    wait: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * millisecondsPerSecond)),
  };
}
