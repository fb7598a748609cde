import { judge, type AnalyzedResource, type Finding, type Pack } from "../policies/engine/judge";
import { programOf, translate } from "./program/load-program";
import { loadPulumiRuntime } from "./program/pulumi-runtime";
import { record } from "./record/record";
import { asAnalyzed } from "./record/recorded-resource";
import { offlineWorld } from "./record/world";

const region = "ap-northeast-2";
const about = { project: "example", stack: "dev", config: { "aws:region": region } };

/**
 * Runs one program offline, without a Pulumi project around it, and lets a pack judge what it registers.
 *
 * @param entry absolute path of the program
 * @param root the folder whose packages it uses
 * @param exported name of the exported function to run after the module is loaded @default none
 * @throws whatever the program throws
 */
export async function judgeProgram(entry: string, root: string, pack: Pack, exported?: string): Promise<Finding[]> {
  return judge(pack, await registeredBy(entry, root, exported), about);
}

/**
 * What a program registers, run offline as {@link judgeProgram} does.
 *
 * @throws whatever the program throws
 */
export async function registeredBy(entry: string, root: string, exported?: string): Promise<AnalyzedResource[]> {
  const loaded = programOf(await translate(entry), entry);
  const program = exported === undefined ? loaded : () => (loaded() as Record<string, () => unknown>)[exported]?.();
  const { resources } = await record(loadPulumiRuntime(root), program, { ...about, world: offlineWorld(region) });
  return resources.map(asAnalyzed);
}
