import Module from "node:module";

/**
 * Whether an object of the process, such as a module of the SDK, does not have a change of this package yet. It is marked: several
 * copies of this package in one process share it.
 */
export function isFirstChange(object: object, change: string): boolean {
  const mark = Symbol.for(`eks-gpu-lab.${change}`);
  return !(mark in object) && Reflect.defineProperty(object, mark, { value: true });
}

/**
 * What the SDK loads at start, and neither a plan nor a policy uses: for its closure serialization, the TypeScript compiler
 * and packages of npm; the Automation API; and what talks to an engine in another process. Together they are more than half of
 * the SDK's import time, so they are loaded on first use.
 */
const closureSerialization = /@pulumi[\\/]pulumi[\\/]runtime[\\/]closure[\\/]/;
const sdkRoot = /@pulumi[\\/]pulumi[\\/]index\.js$/;
const sdk = /@pulumi[\\/]pulumi[\\/](errors|proto|runtime)\b/;
const seldomUsed: Readonly<Record<string, RegExp>> = {
  "../../typescript-shim": closureSerialization,
  "@npmcli/arborist": closureSerialization,
  "normalize-package-data": closureSerialization,
  "./automation": sdkRoot,
  "./provider": sdkRoot,
  "@grpc/grpc-js": sdk,
  "@opentelemetry/api": sdk,
};

type Load = (request: string, parent: { filename?: string | null } | undefined, isMain: boolean) => unknown;

let isInstalled = false;

/** Defers the load of those modules to their first use, in this process. */
export function deferSeldomUsedModules(): void {
  if (isInstalled) return;
  isInstalled = true;
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, parent, isMain) =>
    Object.hasOwn(seldomUsed, request) && seldomUsed[request]?.test(parent?.filename ?? "")
      ? loadOnFirstUse(() => load(request, parent, isMain) as object)
      : load(request, parent, isMain);
}

/**
 * The SDK asks each module at once whether it is an ES module, to find its default export; those here say yes. If they are
 * none, the default is the whole module. It also makes the class of each gRPC client at once, so that one is late, too.
 */
function loadOnFirstUse(load: () => object): object {
  const get = (key: string | symbol): unknown => Reflect.get(load(), key) ?? (key === "default" ? load() : undefined);
  const makeClass = (...args: readonly unknown[]) => lateClass(() => (get(classMaker) as ClassMaker)(...args));
  return new Proxy({}, { get: (_, key) => key === "__esModule" || (key === classMaker ? makeClass : get(key)) });
}

type Class = new (...args: readonly unknown[]) => object;
type ClassMaker = (...args: readonly unknown[]) => Class;
const classMaker = "makeGenericClientConstructor";

/** A class that is made when it is first constructed or read. */
function lateClass(make: () => Class): Class {
  let made: Class | undefined;
  const get = () => (made ??= make());
  return new Proxy<Class>(class {}, {
    construct: (_, args) => new (get())(...(args as readonly unknown[])),
    get: (_, key) => Reflect.get(get(), key) as unknown,
  });
}

/** `runtime/rpc` of the SDK. */
export interface Rpc {
  /** Gives the resource an Output for each key, and returns the functions that resolve them. */
  transferProperties: Transfer;
}

type Transfer = (resource: object, label: string, properties: Readonly<Record<string, unknown>>) => Resolvers;
type Resolvers = Record<string, (...result: readonly unknown[]) => void>;

/**
 * Makes the output of a property when the program first reads it. A program reads few properties of its resources, and the
 * SDK makes some twenty promises for each.
 */
export function makeOutputsOnFirstUse(rpc: Rpc): void {
  if (isFirstChange(rpc, "late-outputs")) rpc.transferProperties = lateOutputs(rpc.transferProperties);
}

/** Makes the output of a key of a resource, and returns it. */
const makers = new WeakMap<object, (key: string) => unknown>();

/** By key. All resources share them. */
const accessors = new Map<string, PropertyDescriptor>();

function accessorOf(key: string): PropertyDescriptor {
  const known = accessors.get(key);
  if (known) return known;
  const accessor: PropertyDescriptor & ThisType<object> = {
    configurable: true,
    enumerable: true,
    get() {
      return makers.get(this)?.(key);
    },
    set(value: unknown) {
      Object.defineProperty(this, key, { configurable: true, enumerable: true, writable: true, value });
    },
  };
  accessors.set(key, accessor);
  return accessor;
}

function lateOutputs(transfer: Transfer): Transfer {
  return (resource, label, properties) => {
    const results = new Map<string, readonly unknown[]>();
    const made: Resolvers = {};
    const make = (key: string): void => {
      Object.assign(made, transfer(resource, label, { [key]: properties[key] }));
    };
    makers.set(resource, (key) => {
      Reflect.deleteProperty(resource, key);
      make(key);
      const result = results.get(key);
      if (result) made[key]?.(...result);
      return Reflect.get(resource, key) as unknown;
    });

    const resolvers: Resolvers = {};
    for (const key of Object.keys(properties)) {
      // The SDK has its own way for `id` and `urn`, and rejects a property that exists.
      if (key === "id" || key === "urn" || Object.hasOwn(resource, key)) make(key);
      else {
        Object.defineProperty(resource, key, accessorOf(key));
        resolvers[key] = (...result) => void (made[key] ? made[key](...result) : results.set(key, result));
      }
    }
    return resolvers;
  };
}
