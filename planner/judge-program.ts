import { judge, type AnalyzedResource, type Finding, type Pack } from "../policies/engine/judge";
import { programOf, translate } from "./program/load-program";
import { loadPulumiRuntime } from "./program/pulumi-runtime";
import { record } from "./record/record";
import { asAnalyzed } from "./record/recorded-resource";
import { offlineCloud } from "./record/offline-cloud";

const region = "ap-northeast-2";
const about = { project: "example", stack: "dev", config: { "aws:region": region } };

/**
 * Runs one program offline, without a Pulumi project, and judges its resources with a pack.
 *
 * @param entry absolute path of the program
 * @param root the folder of its npm packages
 * @param exported name of the exported function to run after the module is loaded; none where the module is the program
 * @throws any error of the program
 */
export async function judgeProgram(entry: string, root: string, pack: Pack, exported?: string): Promise<Finding[]> {
  return judge(pack, await registeredBy(entry, root, exported), about);
}

/**
 * The resources that a program registers in an offline run.
 *
 * @throws any error of the program
 */
export async function registeredBy(entry: string, root: string, exported?: string): Promise<AnalyzedResource[]> {
  const loaded = programOf(await translate(entry), entry);
  const program = exported === undefined ? loaded : () => (loaded() as Record<string, () => unknown>)[exported]?.();
  const { resources } = await record(loadPulumiRuntime(root), program, { ...about, cloud: offlineCloud(region) });
  return resources.map(asAnalyzed);
}
