import { join } from "node:path";

/** What a process needs of the user's environment: to find Node.js, and to reuse translated TypeScript files. */
const kept = ["PATH", "TMPDIR", "TEMP", "TMP", "LANG", "SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "WINDIR"];

/**
 * The whole environment of a CLI that is to see the simulated world alone: no credentials, no proxy, no settings, and
 * no backend of the user's.
 *
 * @param home folder that takes what the CLI writes beside the project
 * @param debugProviders where the simulated providers listen, e.g. `aws:4001,eks:4002`
 */
export function cleanEnvironment(
  home: string,
  debugProviders: string,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    HOME: home,
    USERPROFILE: home,
    PULUMI_HOME: join(home, ".pulumi"),
    PULUMI_BACKEND_URL: `file://${stateFolder(home).replaceAll("\\", "/")}`,
    PULUMI_CONFIG_PASSPHRASE: "simulation",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // Without this the CLI looks for plugins on the network, although the providers are attached.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DEBUG_PROVIDERS: debugProviders,
    // A preview prints its events one by one, as the other commands do, policy violations among them.
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    NO_PROXY: "127.0.0.1,localhost",
  };
}

/** Where the state is kept. */
export function stateFolder(home: string): string {
  return join(home, "state");
}
