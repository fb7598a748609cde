import Module from "node:module";

/**
 * Modules that @pulumi/pulumi loads at start and needs only to serialise closures, which a plan never does.
 * Together they are more than a third of the import time, so a plan loads them on first use.
 */
const onlyForClosures = new Set(["typescript", "@npmcli/arborist"]);

type Load = (request: string, parent: unknown, isMain: boolean) => unknown;

/** Puts off loading those modules from here on, for this process. */
export function putOffClosureModules(): void {
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, parent, isMain) => {
    if (!onlyForClosures.has(request)) return load(request, parent, isMain);
    return new Proxy({}, { get: (_, key) => Reflect.get(load(request, parent, isMain) as object, key) as unknown });
  };
}
