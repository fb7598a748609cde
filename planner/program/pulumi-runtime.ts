import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Providers from "@pulumi/pulumi/proto/provider_pb";
import type * as Resources from "@pulumi/pulumi/proto/resource_pb";
import type * as Config from "@pulumi/pulumi/runtime/config";
import type * as Mocks from "@pulumi/pulumi/runtime/mocks";
import type * as Stack from "@pulumi/pulumi/runtime/stack";
import type * as Structs from "google-protobuf/google/protobuf/struct_pb";
import { tellLookupsApart, type Invokes, type Outputs } from "../lookups/sdk-lookups";
import { keepManifestsOffline } from "../manifests/manifest-components";
import { isFirstChange, makeOutputsOnFirstUse, type Rpc } from "./sdk-changes";

/** The modules of the Pulumi SDK that a recording uses, from the copy that the planned program loads. */
export interface PulumiRuntime {
  readonly mocks: typeof Mocks;
  readonly config: typeof Config;
  readonly stack: typeof Stack;
  readonly settings: { waitForRPCs(): Promise<void> };
  readonly state: {
    readonly LocalStore: new () => LocalStore;
    getStore(): LocalStore;
  };
  /** The messages between a program and the engine. */
  readonly resources: typeof Resources;
  readonly providers: typeof Providers;
  readonly structs: typeof Structs;
}

/** The state of one program run. The SDK keeps it per async context, so that recordings are isolated. */
export interface LocalStore {
  settings: { monitor?: object; engine?: object };
  /** The resources and functions that the program waits for. */
  readonly leakCandidates: Set<{ readonly name: string }>;
  readonly callbacks?: CallbackServer;
  /** Called with each configuration key that the program reads, and with undefined when it reads all of them. */
  onConfigRead?: (key: string | undefined) => void;
}

/** The functions that the program gave the engine to call, by token. They take and return the messages of the engine. */
interface CallbackServer {
  readonly _callbacks?: ReadonlyMap<string, (request: Uint8Array) => Promise<{ serializeBinary(): Uint8Array }>>;
}

/**
 * Loads the SDK that is installed in a project's folder.
 *
 * @throws Error of Node.js when @pulumi/pulumi is not installed.
 */
export function loadPulumiRuntime(projectDir: string): PulumiRuntime {
  keepManifestsOffline();
  const load = createRequire(join(projectDir, "package.json"));
  const loadForSdk = createRequire(load.resolve("@pulumi/pulumi"));
  const state = load("@pulumi/pulumi/runtime/state") as PulumiRuntime["state"];
  watchOperations(load("@pulumi/pulumi/runtime/debuggable") as Debuggable, state);
  makeOutputsOnFirstUse(load("@pulumi/pulumi/runtime/rpc") as Rpc);
  watchConfig(state, [load("@pulumi/pulumi/runtime/config"), load("@pulumi/pulumi/runtime")] as (typeof Config)[]);
  const aliases = load("@pulumi/pulumi/runtime/resource") as Aliases;
  acceptUnknownAliases(aliases, (load("@pulumi/pulumi/output") as { output: OutputOf }).output);
  tellLookupsApart(load("@pulumi/pulumi/runtime") as Invokes, load("@pulumi/pulumi") as Outputs);
  return {
    mocks: load("@pulumi/pulumi/runtime/mocks") as typeof Mocks,
    config: load("@pulumi/pulumi/runtime/config") as typeof Config,
    stack: load("@pulumi/pulumi/runtime/stack") as typeof Stack,
    settings: load("@pulumi/pulumi/runtime/settings") as PulumiRuntime["settings"],
    state,
    resources: load("@pulumi/pulumi/proto/resource_pb") as typeof Resources,
    providers: load("@pulumi/pulumi/proto/provider_pb") as typeof Providers,
    structs: loadForSdk("google-protobuf/google/protobuf/struct_pb") as typeof Structs,
  };
}

/** @param modules that export the functions; an SDK may have copied them from one to the other */
function watchConfig(state: PulumiRuntime["state"], modules: readonly (typeof Config)[]): void {
  const [original] = modules;
  if (!original || !isFirstChange(original, "watched-config")) return;
  const { getConfig, allConfig } = original;
  const watched = {
    getConfig: (key: string) => (state.getStore().onConfigRead?.(key), getConfig(key)),
    allConfig: () => (state.getStore().onConfigRead?.(undefined), allConfig()),
  };
  // A module that passes the function of another one on, rather than a copy, cannot be written.
  const isCopy = (module: object, name: string) => Object.getOwnPropertyDescriptor(module, name)?.writable === true;
  for (const module of modules) {
    for (const name of ["getConfig", "allConfig"] as const) {
      if (isCopy(module, name)) Object.assign(module, { [name]: watched[name] });
    }
  }
}

/** `runtime/resource` of the SDK. */
interface Aliases {
  mapAliasesForRequest: (aliases: readonly unknown[] | undefined, parent?: string) => Promise<unknown>;
  registerResource: (...args: unknown[]) => void;
}

type OutputOf = (value: unknown) => { promise(): Promise<unknown> };

/** Where `registerResource` has its options. */
const optionsAt = 8;

/**
 * An alias with a part that is known only after the update, such as an output of a remote component as its parent, has no
 * value, which the SDK reads without a check. Here it becomes an empty alias, or none where a transform returns it.
 */
function acceptUnknownAliases(resource: Aliases, output: OutputOf): void {
  if (!isFirstChange(resource, "unknown-aliases")) return;
  const { mapAliasesForRequest: map, registerResource: register } = resource;
  const known = async (alias: unknown) => (await output(alias).promise()) ?? "";
  const isKnown = (alias: unknown) => alias !== undefined;
  resource.mapAliasesForRequest = (aliases, parent) => map(aliases?.filter(isKnown), parent);
  resource.registerResource = (...args) => {
    const options = args[optionsAt] as { readonly aliases?: readonly unknown[] };
    const { aliases } = options;
    register(...(aliases ? args.with(optionsAt, { ...options, aliases: aliases.map(known) }) : args));
  };
}

/** `runtime/debuggable` of the SDK. */
interface Debuggable {
  debuggablePromise: <T>(promise: Promise<T>, context: unknown) => Promise<T>;
}

/**
 * Replaces the SDK's search for promises that never settle, which takes a part of a plan's time and memory: each promise
 * gets a stack trace. Here only the names of resources and functions are kept. Errors keep their stack traces.
 */
function watchOperations(debuggable: Debuggable, state: PulumiRuntime["state"]): void {
  // The SDK adds two steps to each promise. Without them, resources would be registered in another order.
  debuggable.debuggablePromise = (promise, context) => {
    const [, resource, type, token] = operation.exec(String(context)) ?? [];
    if (type === undefined && token === undefined) return promise.then().then();
    const { leakCandidates } = state.getStore();
    const awaited = { name: token ?? `${type} ${resource}` };
    leakCandidates.add(awaited);
    return promise.then().then(
      (value) => (leakCandidates.delete(awaited), value),
      (error: Error) => (leakCandidates.delete(awaited), Promise.reject(error)),
    );
  };
}

/** How the SDK describes the registration of a resource, and the result of a function. */
const operation = /^resource:(.+)\[(.+)\]$|^(?:invoke|call)\w*\((.+)\)Value$/;
