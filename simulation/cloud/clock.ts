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
