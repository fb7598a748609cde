import { spawnSync } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import * as semver from "semver";
import { oldestPulumiCli } from "../../components/core/versions";

/** A Pulumi CLI that can run Node.js programs. */
export interface PulumiCli {
  /** The path of the executable. */
  readonly command: string;
  /** E.g. `v3.260.0`; empty for a build without a version. */
  readonly version: string;
}

/** The CLI, or why it cannot be used and what to do. */
type PulumiSearch =
  { readonly cli: PulumiCli } | { readonly cli: undefined; readonly why: string; readonly fix: string };

const update = "update the Pulumi CLI: https://www.pulumi.com/docs/install/";
export const installPulumi = "install the Pulumi CLI: https://www.pulumi.com/docs/install/";
export const missingPulumi = "The Pulumi CLI is not installed, or not on your PATH";
const languageHost = "pulumi-language-nodejs";

/** Looks for `pulumi` on the PATH, and for its Node.js language host on the PATH or in the folder of `pulumi`. */
export function findPulumi(env: NodeJS.ProcessEnv = process.env): PulumiSearch {
  const folders = foldersOf(env);
  const command = executable("pulumi", folders);
  if (command === undefined) return { cli: undefined, why: missingPulumi, fix: installPulumi };
  if (executable(languageHost, [...folders, dirname(command), dirname(realpathSync(command))]) === undefined) {
    return {
      cli: undefined,
      why: `${languageHost} is neither on the PATH nor in the folder of ${command}`,
      fix: installPulumi,
    };
  }
  const run = spawnSync(command, ["version"], {
    encoding: "utf8",
    timeout: 30_000,
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  if (run.status !== 0) {
    const reason = run.error?.message ?? run.stderr.trim().split("\n")[0];
    return { cli: undefined, why: `${command} does not run: ${reason}`, fix: installPulumi };
  }
  const version = run.stdout.trim();
  const parsed = semver.coerce(version);
  if (parsed === null || semver.gte(parsed, oldestPulumiCli)) return { cli: { command, version } };
  return {
    cli: undefined,
    why: `${command} is ${version}; version ${oldestPulumiCli} or newer is required`,
    fix: update,
  };
}

/** The path of a program on the PATH. */
export function onPath(program: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return executable(program, foldersOf(env));
}

function foldersOf(env: NodeJS.ProcessEnv): string[] {
  return (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
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
