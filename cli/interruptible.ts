import { exitStatus } from "./command";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * One Ctrl-C can arrive twice: the terminal sends it to all processes in the foreground, and npx sends it on.
 * @see https://github.com/npm/run-script/blob/main/lib/signal-manager.js
 */
const sameInterruptMilliseconds = 1000;

/** The first Ctrl-C or SIGTERM aborts the work, which then cleans up; another one ends the process at once. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let first = 0;
  const stop = () => {
    if (!controller.signal.aborted) first = Date.now();
    else if (Date.now() - first > sameInterruptMilliseconds) process.exit(exitStatus.failed);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
