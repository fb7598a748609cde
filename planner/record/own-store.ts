import type { AsyncLocalStorage } from "node:async_hooks";
import type { LocalStore, PulumiRuntime } from "../program/pulumi-runtime";

/** Where the SDK finds the state of a run. */
type Storage = Pick<AsyncLocalStorage<LocalStore>, "getStore" | "run">;

/** The recordings of a process, also those of other copies of this module: they share the SDK. */
interface Recordings {
  readonly storage: Storage;
  /** The state of the first recording. It stays the state of code that this recording has left. */
  readonly first: LocalStore;
  readonly running: Set<LocalStore>;
}

/** Where the process keeps them. */
export const recordings = Symbol.for("eks-gpu-lab.recordings");

interface Host {
  asyncLocalStorage: Storage;
  [recordings]?: Recordings;
}

/** The states of the recordings that have not ended. */
export function runningRecordings(): readonly LocalStore[] {
  return [...((globalThis as unknown as Host)[recordings]?.running ?? [])];
}

/**
 * Runs the body with a state of its own. The SDK keeps it in an async context, for which Node.js before 24 extends each promise:
 * a fifth of the memory of a large plan. The first recording of a process needs none.
 */
export async function withOwnStore(
  { state }: PulumiRuntime,
  body: (store: LocalStore) => Promise<void>,
): Promise<void> {
  const host = globalThis as unknown as Host;
  const isFirst = host[recordings] === undefined && host.asyncLocalStorage.getStore() === undefined;
  const own = new state.LocalStore();
  const shared = (host[recordings] ??= { storage: host.asyncLocalStorage, first: own, running: new Set() });
  const { storage, first, running } = shared;
  if (running.size === 0)
    host.asyncLocalStorage = { getStore: () => storage.getStore() ?? first, run: storage.run.bind(storage) };
  running.add(own);
  try {
    await (isFirst ? body(own) : storage.run(own, body, own));
  } finally {
    running.delete(own);
    if (running.size === 0) host.asyncLocalStorage = storage;
  }
}
