// Builds the documentation site: the pages of the API with TypeDoc, then all pages with VitePress.
//
//   node tools/run.mjs site [--base /PATH/]
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeApi } from "./site/api";

/** The folder of the site, from the project's root. */
const folder = "tools/site";

/** @throws Error for a page in no group of the sidebar, a link that leads nowhere, and a warning of TypeDoc. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { base: { type: "string", default: "/" } } });
  process.chdir(join(__dirname, ".."));
  rmSync(join(folder, "api"), { recursive: true, force: true });
  await writeApi(join(folder, "api"), join(folder, "api/navigation.json"));
  const { build } = await import("vitepress");
  await build(folder, values);
}
