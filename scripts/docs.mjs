// Writes what is generated from the code: parts of Pulumi.yaml and the README, the pages of the policy rules, of the
// alerts and of the accidents, and the pictures of the labs.
//
//   node scripts/docs.mjs
//
// A test fails while the files differ from it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import prettier from "prettier";
import { accidentPage } from "./accident-docs.mjs";
import { alertFiles } from "./alert-docs.mjs";
import { loadBundled } from "./bundled.mjs";
import { labPictures } from "./lab-pictures.mjs";
import { policyConfigs, policyPages } from "./policy-docs.mjs";

const root = new URL("..", import.meta.url);

const configDocs = () => loadBundled("scripts/config-docs.ts");

const generated = {
  "Pulumi.yaml": () => [/^config:\n[^]*$/m, configDocs().pulumiConfig()],
  "README.md": () => [/(<!-- configuration keys -->\n)[^]*?(\n<!-- end -->)/, `$1\n${configDocs().readmeTable()}\n$2`],
};
export const files = Object.keys(generated);

/** The content a file should have. */
export async function render(file) {
  const path = fileURLToPath(new URL(file, root));
  const [pattern, text] = generated[file]();
  const before = readFileSync(path, "utf8");
  if (!pattern.test(before)) throw new Error(`${file} has no place for the generated text`);
  return formatted(path, before.replace(pattern, text));
}

/** The pages of the policy rules, and an example configuration of each pack, by path. */
export async function renderPolicies() {
  return allFormatted({ ...(await policyPages()), ...policyConfigs() });
}

/** The pictures of the labs, by path. */
export const renderLabs = labPictures;

/** The page of the alerts, and their rules file, by path. */
export function renderAlerts() {
  return allFormatted(alertFiles());
}

/** The page of the known accidents, by path. */
export function renderAccidents() {
  return allFormatted(accidentPage());
}

async function allFormatted(texts) {
  const files = Object.entries(texts).map(async ([path, text]) => [path, await formatted(path, text)]);
  return Object.fromEntries(await Promise.all(files));
}

async function formatted(path, text) {
  return prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Everything is made before anything is written: what goes wrong leaves the files as they are.
  const parts = await Promise.all(files.map(async (file) => ({ [file]: await render(file) })));
  const written = await Promise.all([renderPolicies(), renderAlerts(), renderAccidents(), renderLabs()]);
  const folder = new URL("docs/policies/", root);
  for (const file of readdirSync(folder)) rmSync(new URL(file, folder));
  for (const [path, text] of Object.entries(Object.assign({}, ...parts, ...written))) {
    writeFileSync(new URL(path, root), text);
  }
}
