import { caughtAwsError } from "../../aws/aws-error";
import { InputError } from "../../components/core/problems";
import { exitStatus, type Console } from "./command";
import { progressOn } from "./terminal";

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

/** Ctrl-C before a command has changed anything. */
class Interrupted extends Error {}

/** Waits for work that changes nothing. Ctrl-C ends the wait, and then the command; the work is left alone. */
export type BeforeChange = <T>(work: Promise<T>) => Promise<T>;

/**
 * Runs a command that reads first and changes something later. Ctrl-C while it reads ends it with status 1 and this sentence;
 * after that, the command itself says what is in effect.
 */
export async function interruptibleCommand(
  console: Console,
  unchanged: string,
  run: (signal: AbortSignal, beforeChange: BeforeChange) => Promise<number>,
): Promise<number> {
  return interruptible(async (signal) => {
    try {
      return await run(signal, (work) => Promise.race([work, interruption(signal)]));
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      progressOn(console)("");
      console.warn(`Interrupted. ${unchanged}\n`);
      console.leave?.(exitStatus.rejected);
      return exitStatus.rejected;
    }
  });
}

/** Work that cannot do without AWS: its errors are wrong input about this place. */
export async function askingAws<T>(console: Console, place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    progressOn(console)("");
    throw new InputError(place, [caughtAwsError(error).problem]);
  }
}

function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Interrupted());
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
