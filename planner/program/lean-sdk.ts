import Module from "node:module";

/**
 * What the SDK's closure serialisation loads at start, and a plan never uses: the TypeScript compiler and npm's
 * dependency tree. Together they are more than half of the SDK's import time, so a plan loads them on first use.
 */
const onlyForClosures = new Set(["../../typescript-shim", "@npmcli/arborist"]);
const closureSerialisation = /@pulumi[\\/]pulumi[\\/]runtime[\\/]closure[\\/]/;

type Load = (request: string, parent: { filename?: string | null } | undefined, isMain: boolean) => unknown;

let lean = false;

/** Puts off loading those modules from here on, for this process. */
export function putOffClosureModules(): void {
  if (lean) return;
  lean = true;
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, parent, isMain) =>
    onlyForClosures.has(request) && closureSerialisation.test(parent?.filename ?? "")
      ? later(() => load(request, parent, isMain) as object)
      : load(request, parent, isMain);
}

/** The SDK asks each module at once whether it is an ES module; those here answer as `import * as` expects. */
function later(load: () => object): object {
  return new Proxy({}, { get: (_, key) => key === "__esModule" || (Reflect.get(load(), key) as unknown) });
}

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
