import Module from "node:module";

/**
 * What the SDK loads at start, and neither a plan nor a policy uses: for its closure serialization, the TypeScript compiler
 * and packages of npm; and the Automation API. Together they are more than half of the SDK's import time, so they are loaded
 * on first use.
 */
const closureSerialization = /@pulumi[\\/]pulumi[\\/]runtime[\\/]closure[\\/]/;
const seldomUsed: Readonly<Record<string, RegExp>> = {
  "../../typescript-shim": closureSerialization,
  "@npmcli/arborist": closureSerialization,
  "normalize-package-data": closureSerialization,
  "./automation": /@pulumi[\\/]pulumi[\\/]index\.js$/,
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
 * none, the default is the whole module.
 */
function loadOnFirstUse(load: () => object): object {
  const get = (key: string | symbol): unknown => Reflect.get(load(), key) ?? (key === "default" ? load() : undefined);
  return new Proxy({}, { get: (_, key) => key === "__esModule" || get(key) });
}
