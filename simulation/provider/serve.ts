import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { aws, eks, kubernetes, type PackageName, type Plugin } from "./plugins";
import { type ProviderServer, startServer } from "./rpc/server";

/** Running providers that the engine can attach to. */
export interface ProviderServers {
  /** The value of PULUMI_DEBUG_PROVIDERS. It changes after a restart. */
  readonly debugProviders: string;
  /** Names of the crashed providers. */
  readonly crashed: readonly PackageName[];
  /** Restarts the crashed providers on other ports. */
  restart(): Promise<void>;
  /** Stops all providers and breaks open calls. */
  close(): Promise<void>;
}

/**
 * Starts the providers `aws`, `eks` and `kubernetes` for a cloud. Several CLI processes can use them at the same time.
 *
 * @param projectFolder where the program's packages are installed: the versions of the providers must match them
 * @throws when one of the packages is not installed
 */
export async function startProviders(cloud: SimulatedCloud, projectFolder = process.cwd()): Promise<ProviderServers> {
  const version = (name: PackageName) => installedVersion(name, projectFolder);
  const plugins = [aws(version("aws")), eks(version("eks")), kubernetes(version("kubernetes"))];
  const start = async (plugin: Plugin) => [plugin, await startServer(cloud, plugin)] as const;
  const running = new Map<Plugin, ProviderServer>(await Promise.all(plugins.map(start)));
  const crashed = () => plugins.filter((plugin) => running.get(plugin)?.alive === false);
  return {
    get debugProviders() {
      return [...running].map(([{ name }, { port }]) => `${name}:${port}`).join(",");
    },
    get crashed() {
      return crashed().map(({ name }) => name);
    },
    async restart() {
      for (const plugin of crashed()) running.set(...(await start(plugin)));
    },
    close() {
      for (const provider of running.values()) provider.stop();
      return Promise.resolve();
    },
  };
}

function installedVersion(name: PackageName, projectFolder: string): string {
  const { version } = createRequire(join(resolve(projectFolder), "package.json"))(`@pulumi/${name}/package.json`) as {
    version: string;
  };
  return version;
}
