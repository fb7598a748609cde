/** `runtime/debuggable` of the SDK. */
export interface Debuggable {
  debuggablePromise: <T>(promise: Promise<T>, context: unknown) => Promise<T>;
}

/**
 * Takes the stack traces off the SDK's promises. It writes one for each, a fifth of a plan's time, for a report of
 * promises that never settle; a plan that does not finish says so by itself. Errors keep theirs.
 */
export function dropPromiseStacks(debuggable: Debuggable): void {
  const withStack = debuggable.debuggablePromise;
  debuggable.debuggablePromise = (promise, context) => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      return withStack(promise, context);
    } finally {
      Error.stackTraceLimit = limit;
    }
  };
}
