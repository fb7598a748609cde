import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const scope = "node_modules/@pulumi";

/**
 * A project in a temporary folder with the built packs, the packages of this project, and a copy of `@pulumi/policy`
 * to modify.
 */
export function projectWithOwnSdk(modify: (sdk: string) => void): string {
  const root = mkdtempSync(join(tmpdir(), "policy-sdk-"));
  for (const folder of ["dist/policies", "policies/packs"]) cpSync(folder, join(root, folder), { recursive: true });
  mkdirSync(join(root, scope), { recursive: true });
  const link = (path: string) => symlinkSync(join(process.cwd(), path), join(root, path));
  for (const name of readdirSync("node_modules")) if (name !== "@pulumi") link(`node_modules/${name}`);
  for (const name of readdirSync(scope)) if (name !== "policy") link(`${scope}/${name}`);
  const sdk = join(root, scope, "policy");
  cpSync(join(scope, "policy"), sdk, { recursive: true, dereference: true });
  modify(sdk);
  return root;
}

/** Replaces text in a file. Throws if the file does not contain it: then the SDK has changed. */
export function replace(file: string, text: string, by: string): void {
  const before = readFileSync(file, "utf8");
  if (!before.includes(text)) throw new Error(`${file} does not contain ${text}`);
  writeFileSync(file, before.replaceAll(text, by));
}
