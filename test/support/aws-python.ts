import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cluster/support/go";

/**
 * A Python environment that the user's cache keeps, with what others wrote and maintain about AWS: botocore has the models
 * of all requests and answers, cfn-lint the actions and the grammar of IAM policies, and moto simulates AWS over HTTP.
 *
 * Each version is exact: later models have other limits.
 */
const packages = ["moto[server]==5.2.5", "boto3==1.44.5", "botocore==1.44.5", "cfn-lint==1.58.0"];

export type AwsPython = { readonly python: string } | { readonly why: string };

let found: AwsPython | undefined;

/**
 * The Python of the environment, which is made the first time; or why there is none.
 *
 * @throws Error if there is none and REQUIRE_AWS_MODELS is 1
 */
export function awsPython(): AwsPython {
  found ??= environment();
  if ("why" in found && process.env["REQUIRE_AWS_MODELS"] === "1") throw new Error(found.why);
  return found;
}

const pythonIn = (folder: string) => join(folder, "bin", "python");

function environment(): AwsPython {
  const folder = join(cacheFolder(), packages.map((each) => each.replace(/\[\w+\]|=/g, "")).join("-"));
  if (existsSync(folder)) return { python: pythonIn(folder) };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(cacheFolder(), { recursive: true });
  process.stderr.write(`Installing ${packages.join(", ")} takes a minute. They are kept in ${folder}\n`);
  const pip = ["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", ...packages];
  const failure = failureOf("python3", ["-m", "venv", unfinished]) ?? failureOf(pythonIn(unfinished), pip);
  if (failure === undefined && moved(unfinished, folder)) return { python: pythonIn(folder) };
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(folder)) return { python: pythonIn(folder) };
  return { why: `the Python packages ${packages.join(", ")} cannot be installed: ${failure}` };
}

/** Whether the folder is in its place now. Another process may have been faster. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function failureOf(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split("\n").at(-1) ?? `${command} fails`);
}
