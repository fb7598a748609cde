import Module from "node:module";

/**
 * What the SDK's closure serialization loads at start, and neither a plan nor a policy uses: the TypeScript compiler and
 * npm's dependency tree. Together they are more than half of the SDK's import time, so they are loaded on first use.
 */
const onlyForClosures = new Set(["../../typescript-shim", "@npmcli/arborist"]);
const closureSerialization = /@pulumi[\\/]pulumi[\\/]runtime[\\/]closure[\\/]/;

type Load = (request: string, parent: { filename?: string | null } | undefined, isMain: boolean) => unknown;

let isInstalled = false;

/** Defers the load of those modules to their first use, in this process. */
export function deferClosureModules(): void {
  if (isInstalled) return;
  isInstalled = true;
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, parent, isMain) =>
    onlyForClosures.has(request) && closureSerialization.test(parent?.filename ?? "")
      ? loadOnFirstUse(() => load(request, parent, isMain) as object)
      : load(request, parent, isMain);
}

/** The SDK asks each module at once whether it is an ES module; those here answer as `import * as` expects. */
function loadOnFirstUse(load: () => object): object {
  return new Proxy({}, { get: (_, key) => key === "__esModule" || (Reflect.get(load(), key) as unknown) });
}
