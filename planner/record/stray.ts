import type { LocalStore, PulumiRuntime } from "../program/pulumi-runtime";

/**
 * Fails on an error inside an `apply`, which surfaces as an unhandled rejection. A real run fails on it, too. Values
 * that depend on the failed one never resolve. Also fails when Node.js has nothing left to do: then the program waits for a
 * value that never resolves.
 */
export async function failOnStray<T>({ state }: PulumiRuntime, own: LocalStore, body: () => Promise<T>): Promise<T> {
  let fail: (reason: unknown) => void = () => undefined;
  const stray = new Promise<never>((_, reject) => (fail = reject));
  stray.catch(() => undefined);
  // Node.js emits this event in the async context of the promise.
  const onRejection = (reason: unknown): void => void (state.getStore() === own && fail(reason));
  const onIdle = (): void => fail(unfinished(own));
  process.on("unhandledRejection", onRejection);
  process.once("beforeExit", onIdle);
  try {
    const result = await Promise.race([body(), stray]);
    await Promise.race([nextMacrotask(), stray]);
    return result;
  } finally {
    // What a failed program still does must not reach the caller.
    await nextMacrotask();
    process.off("unhandledRejection", onRejection);
    process.off("beforeExit", onIdle);
  }
}

/** Names what a program waits for. Its place in the code is unknown, so the error has no stack trace. */
export function unfinished({ leakCandidates }: Pick<LocalStore, "leakCandidates">): Error {
  const names = [...new Set([...leakCandidates].map(({ name }) => name))];
  const awaited =
    names.length > 0
      ? `Without a result: ${names.join(", ")}. Look for a promise in their inputs that does not resolve.`
      : "All its resources have a result, but the program awaits another promise.";
  const error = new Error(`the program did not finish: it waits for a value that never resolves. ${awaited}`);
  error.stack = error.message;
  return error;
}

function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
