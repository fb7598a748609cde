import type { AsyncLocalStorage } from "node:async_hooks";
import type { Inputs } from "@pulumi/pulumi";
import { optionalProperty } from "../../components/core/reader/records";
import { unwrap, type Properties } from "../../components/core/wire";
import type { PulumiRuntime, LocalStore } from "../program/pulumi-runtime";
import { offlineMonitor, type Cloud } from "./offline-monitor";
import type { RecordedResource } from "./recorded-resource";

export type { Cloud } from "./offline-monitor";
export type { RecordedOptions, RecordedResource } from "./recorded-resource";

/** A message that the program logged with `pulumi.log.info`, `warn` or `error`. */
export interface Diagnostic {
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  readonly urn?: string;
}

export interface Recording {
  readonly project: string;
  readonly stack: string;
  readonly resources: readonly RecordedResource[];
  /** The stack's outputs. An unknown value is {@link unknownSentinel}. */
  readonly outputs: Properties;
  readonly secretOutputs: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

interface RecordOptions {
  readonly project: string;
  readonly stack: string;
  /** Full keys (`eks-gpu-lab:nccl`) to values as the CLI stores them: strings, or JSON for structured values. */
  readonly config: Readonly<Record<string, string>>;
  readonly cloud: Cloud;
  /** Called with each key that the program reads, and with undefined when it reads all of them. */
  readonly onConfigRead?: LocalStore["onConfigRead"];
}

/** By the number that the SDK sends. Debug messages (0) are dropped. */
const severities = [undefined, "info", "warning", "error"] as const;

/**
 * Runs a Pulumi program like a first preview, without engine, providers or network, and records the resources that it
 * registers. Ids and outputs are unknown unless the cloud knows them.
 *
 * @throws any error of the program, including one inside an `apply`.
 * @throws Error when two resources have the same URN.
 */
export async function record(
  pulumi: PulumiRuntime,
  program: () => unknown,
  options: RecordOptions,
): Promise<Recording> {
  const resources: RecordedResource[] = [];
  const diagnostics: Diagnostic[] = [];

  let outputs: Properties = {};

  const run = async (): Promise<void> => {
    await pulumi.mocks.setMocks(noMocks, options.project, options.stack, true, "organization");
    pulumi.config.setAllConfig(options.config);
    const store = pulumi.state.getStore();
    if (options.onConfigRead) store.onConfigRead = options.onConfigRead;
    const monitor = offlineMonitor(pulumi, {
      ...options,
      onResource: (resource) => void resources.push(resource),
      onStackOutputs: (stackOutputs) => (outputs = stackOutputs),
    });
    if (!store.settings.monitor) throw new Error("the Pulumi SDK did not install its mock monitor");
    Object.assign(store.settings.monitor, monitor);
    store.settings.engine = engineThatCollects(diagnostics);
    // Without this, the SDK's stack resource rejects several promises for one failed program.
    let failure: { error: unknown } | undefined;
    await pulumi.stack.runInPulumiStack(async () => {
      try {
        return (await program()) as Inputs;
      } catch (error) {
        failure = { error };
        return {};
      }
    });
    if (failure) throw failure.error;
    await pulumi.settings.waitForRPCs();
  };

  await withOwnStore(pulumi, (own) => failOnStray(pulumi, own, run));
  const { properties, secretPaths } = unwrap(outputs);
  const { project, stack } = options;
  return { project, stack, resources, outputs: properties, secretOutputs: secretPaths, diagnostics };
}

/** The SDK's mock monitor, whose methods are replaced, requires them. */
const noMocks = {
  newResource: ({ inputs }: { inputs: Properties }) => ({ id: undefined, state: inputs }),
  call: () => ({}),
};

function engineThatCollects(diagnostics: Diagnostic[]): object {
  interface LogRequest {
    getSeverity(): number;
    getMessage(): string;
    getUrn(): string;
  }
  const done = (_: unknown, callback: (error: null, response: object) => void) => callback(null, {});
  return {
    log(request: LogRequest, callback: (error: null, response: object) => void) {
      const severity = severities[request.getSeverity()];
      if (severity)
        diagnostics.push({ severity, message: request.getMessage(), ...optionalProperty("urn", request.getUrn()) });
      callback(null, {});
    },
    setRootResource: done,
  };
}

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
async function withOwnStore({ state }: PulumiRuntime, body: (store: LocalStore) => Promise<void>): Promise<void> {
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

/**
 * Fails on an error inside an `apply`, which surfaces as an unhandled rejection. A real run fails on it, too. Values
 * that depend on the failed one never resolve. Also fails when Node.js has nothing left to do: then the program waits for a
 * value that never resolves.
 */
async function failOnStray<T>({ state }: PulumiRuntime, own: LocalStore, body: () => Promise<T>): Promise<T> {
  let fail: (reason: unknown) => void = () => undefined;
  const stray = new Promise<never>((_, reject) => (fail = reject));
  stray.catch(() => undefined);
  // Node.js emits this event in the async context of the promise.
  const onRejection = (reason: unknown): void => void (state.getStore() === own && fail(reason));
  // A callback, such as that of a timer, has no promise.
  const onException = (error: unknown): void => fail(error);
  const onIdle = (): void => fail(unfinished(own));
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  process.once("beforeExit", onIdle);
  try {
    const result = await Promise.race([body(), stray]);
    await Promise.race([nextMacrotask(), stray]);
    return result;
  } finally {
    // What a failed program still does must not reach the caller.
    await nextMacrotask();
    process.off("unhandledRejection", onRejection);
    process.off("uncaughtException", onException);
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
