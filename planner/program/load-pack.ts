import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Plugin } from "esbuild";
import { InputError, type Problem } from "../../components/core/problems";
import { Reader } from "../../components/core/reader/reader";
import { packsServedBy, type ServedPack } from "../../policies/engine/serve";
import { evaluated, translate } from "./load-program";
import { entryOf, runtimeIn } from "./project";
import { readYaml } from "./yaml-file";

/**
 * Loads a policy pack of the user, without its server: the folder that `pulumi preview --policy-pack` gets, or its module.
 *
 * @throws InputError when it does not exist, has errors, prints, or does not call `serve()` once; any other error of the
 * pack unchanged
 */
export async function loadPack(path: string, cwd: string): Promise<ServedPack> {
  const subject = `policy pack ${path}`;
  const entry = moduleOf(path, cwd, subject);
  const code = await translate(entry, { subject, plugins: [refusePolicySdk] });
  const file = basename(entry);
  const { result: packs, printed } = printedBy(() =>
    packsServedBy(() => withoutPolicySdk(() => evaluated(code, entry), subject, file)),
  );
  const [pack] = packs;
  const problems = [
    ...(printed === "" ? [] : [noPort(file, printed)]),
    ...(packs.length === 1 ? [] : [notOnce(file, packs.length)]),
  ];
  if (!pack || problems.length > 0) throw new InputError(subject, problems);
  return pack;
}

/** Whether the Pulumi engine can start the pack of a path: it takes the folder, not the module. */
export function isPackFolder(path: string, cwd: string): boolean {
  return existsSync(join(resolve(cwd, path), settingsFile));
}

const settingsFile = "PulumiPolicy.yaml";

function moduleOf(got: string, cwd: string, subject: string): string {
  const path = resolve(cwd, got);
  const entry = entryOf(resolve(path, isPackFolder(got, cwd) ? mainIn(join(path, settingsFile)) : "."));
  if (entry !== undefined && /\.[cm]?[jt]sx?$/.test(entry)) return entry;
  const why =
    entry !== undefined
      ? "Is not a module."
      : existsSync(path)
        ? "The folder has no module: no index.ts, no index.js, and no main in package.json."
        : "Does not exist.";
  const fix = "use the folder or the module of a policy pack";
  throw new InputError(subject, [{ code: "not-allowed", path: "--pack", got, why, fix }]);
}

/** The `main` of a PulumiPolicy.yaml, whose folder is the default. */
function mainIn(settings: string): string {
  const content = new Reader(readYaml(settings));
  const runtime = runtimeIn(content);
  if (runtime === "nodejs") return content.text("main").value ?? ".";
  const why = "The offline plan runs only Node.js packs.";
  const fix = "use pulumi preview --policy-pack for a pack in another language";
  throw new InputError(settingsFile, [{ code: "not-allowed", path: "runtime", got: runtime, why, fix }]);
}

/** Runs a function, and also keeps what it writes to the standard output. */
function printedBy<T>(run: () => T): { readonly result: T; readonly printed: string } {
  const { stdout } = process;
  const write = stdout.write.bind(stdout) as (...args: readonly unknown[]) => boolean;
  let printed = "";
  stdout.write = (...args: readonly unknown[]) => {
    printed += String(args[0]);
    return write(...args);
  };
  try {
    return { result: run(), printed };
  } finally {
    stdout.write = write;
  }
}

function noPort(file: string, printed: string): Problem {
  const why =
    "The module writes to the standard output while it is loaded. The Pulumi engine reads the first line as the port of the pack, and cannot start it.";
  const fix = "write to the standard error, e.g. with console.error()";
  return { code: "not-allowed", path: file, got: printed, why, fix };
}

function notOnce(file: string, calls: number): Problem {
  const why =
    calls === 0
      ? "The module does not call serve() of eks-gpu-lab/policies, so the offline plan finds no pack."
      : `The module calls serve() ${calls} times. The Pulumi engine starts one pack for each folder.`;
  const fix = calls === 0 ? "end the module with serve(pack)" : "call serve() once; combine packs with pack()";
  return { code: "not-allowed", path: file, got: `${calls} calls of serve()`, why, fix };
}

/** A pack that uses the SDK itself would start a server, which would write its port to the standard output. */
const sdkMark = "eks-gpu-lab.policySdk";

const refusePolicySdk: Plugin = {
  name: "refuse-policy-sdk",
  setup(build) {
    build.onResolve({ filter: /^@pulumi\/policy$/ }, ({ path }) => ({ path, namespace: sdkMark }));
    build.onLoad({ filter: /./, namespace: sdkMark }, () => ({ contents: `throw Symbol.for("${sdkMark}")` }));
  },
};

function withoutPolicySdk(load: () => unknown, subject: string, file: string): void {
  try {
    load();
  } catch (error) {
    if (error !== Symbol.for(sdkMark)) throw error;
    const why = "The offline plan runs only packs that use pack() and serve() of eks-gpu-lab/policies.";
    const fix = "use pulumi preview --policy-pack for this pack";
    throw new InputError(subject, [{ code: "not-allowed", path: file, got: "@pulumi/policy", why, fix }]);
  }
}
