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
