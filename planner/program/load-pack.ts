import { existsSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Plugin } from "esbuild";
import { InputError, type Problem } from "../../components/core/problems";
import { Reader } from "../../components/core/reader/reader";
import { packsServedBy, type ServedPack } from "../../policies/engine/serve";
import { programOf, translate } from "./load-program";
import { entryOf } from "./project";
import { readYaml } from "./yaml-file";

/**
 * Loads a policy pack of the user, without its server: the folder that `pulumi preview --policy-pack` gets, or its module.
 *
 * @throws InputError when it does not exist, has errors, or does not call `serve()` once; any other error of the pack
 * unchanged
 */
export async function loadPack(path: string, cwd: string): Promise<ServedPack> {
  const subject = `policy pack ${path}`;
  const entry = moduleOf(path, cwd, subject);
  const code = await translate(entry, { subject, plugins: [refusePolicySdk] });
  const packs = packsServedBy(() => withoutPolicySdk(programOf(code, entry), subject, basename(entry)));
  const [pack] = packs;
  if (pack && packs.length === 1) return pack;
  throw new InputError(subject, [notOnce(basename(entry), packs.length)]);
}

function moduleOf(got: string, cwd: string, subject: string): string {
  const path = resolve(cwd, got);
  const settings = join(path, "PulumiPolicy.yaml");
  const main = existsSync(settings) ? new Reader(readYaml(settings)).text("main").value : undefined;
  const entry = entryOf(resolve(path, main ?? "."));
  if (entry !== undefined) return entry;
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const why = isFolder
    ? "The folder has no module: no index.ts, no index.js, and no main in package.json."
    : "Does not exist.";
  const fix = "use the folder or the module of a policy pack";
  throw new InputError(subject, [{ code: "not-allowed", path: "--pack", got, why, fix }]);
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
