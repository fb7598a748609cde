import { programOf, translate } from "../planner/program/load-program";
import { loadPulumiRuntime } from "../planner/program/pulumi-runtime";
import { offlineCloud } from "../planner/record/offline-cloud";
import { record } from "../planner/record/record";
import { asAnalyzed } from "../planner/record/recorded-resource";
import { judge, type AnalyzedResource, type Finding, type Pack } from "../policies/engine/judge";

const region = "ap-northeast-2";
const about = { project: "example", stack: "dev", config: { "aws:region": region } };

/**
 * Runs one program offline, without a Pulumi project, and judges its resources with a pack.
 *
 * @param entry absolute path of the program
 * @param root the folder of its npm packages
 * @param program which one, where the module is the example of a rule
 * @throws any error of the program
 */
export async function judgeProgram(
  entry: string,
  root: string,
  pack: Pack,
  program?: "bad" | "good",
): Promise<Finding[]> {
  return judge(pack, await registeredBy(entry, root, program), about);
}

/**
 * The resources that a program registers in an offline run.
 *
 * @throws any error of the program
 */
export async function registeredBy(entry: string, root: string, program?: "bad" | "good"): Promise<AnalyzedResource[]> {
  const loaded = programOf(await translate(entry), entry);
  const run = program && (() => (loaded() as { example: (good: boolean) => void }).example(program === "good"));
  const { resources } = await record(loadPulumiRuntime(root), run ?? loaded, { ...about, cloud: offlineCloud(region) });
  return resources.map(asAnalyzed);
}
