import { spawnSync } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** A Pulumi CLI that can run Node.js programs. */
export interface PulumiCli {
  /** Path of the executable. */
  readonly command: string;
  /** What it calls itself, e.g. `v3.260.0`; empty for a build that names no version. */
  readonly version: string;
}

/** The outcome of looking for the CLI: it, or why there is none and how to get one. */
export type PulumiSearch =
  { readonly cli: PulumiCli } | { readonly cli: undefined; readonly why: string; readonly fix: string };

const fix = "install the Pulumi CLI: https://www.pulumi.com/docs/install/";
const languageHost = "pulumi-language-nodejs";

/** Looks for `pulumi` on the PATH, and for its Node.js language host there or beside it. */
export function findPulumi(env: NodeJS.ProcessEnv = process.env): PulumiSearch {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const command = executable("pulumi", folders);
  if (command === undefined) return { cli: undefined, why: "There is no pulumi on the PATH", fix };
  if (executable(languageHost, [...folders, dirname(command), dirname(realpathSync(command))]) === undefined) {
    return { cli: undefined, why: `There is no ${languageHost} on the PATH or beside ${command}`, fix };
  }
  const run = spawnSync(command, ["version"], {
    encoding: "utf8",
    timeout: 30_000,
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  if (run.status !== 0) {
    const reason = run.error?.message ?? run.stderr.trim().split("\n")[0];
    return { cli: undefined, why: `${command} does not run: ${reason}`, fix };
  }
  return { cli: { command, version: run.stdout.trim() } };
}

function executable(name: string, folders: readonly string[]): string | undefined {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  return folders.map((folder) => join(folder, file)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
