import { exitStatus } from "./command";

/** The first Ctrl-C or SIGTERM aborts the work, which then cleans up; a second one ends the process at once. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitStatus.failed);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
