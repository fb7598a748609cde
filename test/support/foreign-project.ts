import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./files";

/** Another Pulumi project, with this repository's packages. */
export function foreignProject(program: string, files: Record<string, string> = {}): string {
  const yaml = "name: shop\nruntime: nodejs\n";
  const dir = folder({
    "Pulumi.yaml": yaml,
    "Pulumi.dev.yaml": "config:\n  aws:region: us-east-1\n",
    "package.json": "{}",
    "index.ts": program,
    ...files,
  });
  symlinkSync(join(process.cwd(), "node_modules"), join(dir, "node_modules"));
  return dir;
}
