import Module from "node:module";

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
