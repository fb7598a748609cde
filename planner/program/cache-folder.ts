import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The folder for results that a later run can use again: in NODE_COMPILE_CACHE, or else in the temporary folder of the
 * system. Its files contain code, so only a folder that no other user can write to is used.
 *
 * @returns undefined with NODE_DISABLE_COMPILE_CACHE, or without such a folder
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const user = process.getuid?.();
  const folder = join(env["NODE_COMPILE_CACHE"] || tmpdir(), `eks-gpu-lab-cache-${user ?? "user"}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isPrivate = user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
    return found.isDirectory() && isPrivate ? folder : undefined;
  } catch {
    return undefined;
  }
}
