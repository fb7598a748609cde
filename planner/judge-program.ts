import { judge, type Finding, type Pack } from "../policies/core/judge";
import { programOf, translate } from "./program/load-program";
import { loadPulumiRuntime } from "./program/pulumi-runtime";
import { record } from "./record/record";
import { asAnalyzed } from "./record/recorded-resource";
import { offlineWorld } from "./record/world";

/**
 * Runs one program offline, without a Pulumi project around it, and lets a pack judge what it registers.
 *
 * @param entry absolute path of the program
 * @param root the folder whose packages it uses
 * @throws whatever the program throws
 */
export async function judgeProgram(entry: string, root: string, pack: Pack): Promise<Finding[]> {
  const region = "ap-northeast-2";
  const about = { project: "example", stack: "dev", config: { "aws:region": region } };
  const program = programOf(await translate(entry), entry);
  const { resources } = await record(loadPulumiRuntime(root), program, { ...about, world: offlineWorld(region) });
  return judge(pack, resources.map(asAnalyzed), about);
}
