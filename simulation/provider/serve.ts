import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { aws, eks, kubernetes, type PackageName, type Plugin } from "./plugins";
import { type ProviderServer, startServer } from "./rpc/server";

/** The providers of a cloud, there to be attached to. */
export interface ProviderServers {
  /** For the CLI's PULUMI_DEBUG_PROVIDERS. Another one after a restart. */
  readonly debugProviders: string;
  /** The providers that crashed. */
  readonly crashed: readonly PackageName[];
  /** Starts those again that crashed, each on another port. */
  restart(): Promise<void>;
  /** Ends all of them; calls that are open break. */
  close(): Promise<void>;
}

/**
 * Starts the providers of `aws`, `eks` and `kubernetes` over a cloud. Several runs of the CLI can use them at a time.
 *
 * @param projectFolder where the program's packages are installed: the engine wants providers of their versions
 * @throws when one of the packages is not installed there
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
