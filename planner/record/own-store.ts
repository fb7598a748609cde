import type { AsyncLocalStorage } from "node:async_hooks";
import type { LocalStore, PulumiRuntime } from "../program/pulumi-runtime";

/** Where the SDK finds the state of a run. */
type Storage = Pick<AsyncLocalStorage<LocalStore>, "getStore" | "run">;

/** The recordings of a process, also those of other copies of this module: they share the SDK. */
interface Recordings {
  readonly storage: Storage;
  /** The state of the first recording. It stays the state of code that this recording has left. */
  readonly first: LocalStore;
  running: number;
}

const recordings = Symbol.for("eks-gpu-lab.recordings");

/**
 * Runs the body with a state of its own. The SDK keeps it in an async context, for which Node.js before 24 extends each promise:
 * a fifth of the memory of a large plan. The first recording of a process needs none.
 */
export async function withOwnStore(
  { state }: PulumiRuntime,
  body: (store: LocalStore) => Promise<void>,
): Promise<void> {
  const host = globalThis as unknown as { asyncLocalStorage: Storage; [recordings]?: Recordings };
  const isFirst = host[recordings] === undefined && host.asyncLocalStorage.getStore() === undefined;
  const own = new state.LocalStore();
  const shared = (host[recordings] ??= { storage: host.asyncLocalStorage, first: own, running: 0 });
  const { storage, first } = shared;
  if (shared.running++ === 0)
    host.asyncLocalStorage = { getStore: () => storage.getStore() ?? first, run: storage.run.bind(storage) };
  try {
    await (isFirst ? body(own) : storage.run(own, body, own));
  } finally {
    if (--shared.running === 0) host.asyncLocalStorage = storage;
  }
}
