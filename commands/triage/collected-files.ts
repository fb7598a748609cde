import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import type { CollectedFile } from "../../triage/snapshot/collected";

/** Larger files are no text that triage reads. */
const maxBytes = 64 * 1024 * 1024;
const maxFiles = 20_000;
const readable = /\.(?:json|ya?ml|log|txt|descr|describe)$|dmesg[\w.]*$|messages$/;

/** The files of a directory, or of an archive that tar and gzip wrote; undefined for any other file. */
export async function collectedFiles(path: string): Promise<CollectedFile[] | undefined> {
  if ((await stat(path)).isDirectory()) return filesIn(path);
  return /\.(?:tar\.gz|tgz)$/.test(path) ? filesOfTar(gunzipSync(await readFile(path))) : undefined;
}

async function filesIn(folder: string): Promise<CollectedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((one) => one.isFile() && readable.test(one.name))
    .map((one) => join(one.parentPath, one.name));
  const files = paths.slice(0, maxFiles).map(async (path) => {
    const isSmall = (await stat(path)).size <= maxBytes;
    return isSmall ? [{ path: relative(folder, path), text: await readFile(path, "utf8") }] : [];
  });
  return (await Promise.all(files)).flat();
}

/** @see https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function filesOfTar(archive: Buffer): CollectedFile[] {
  const files: CollectedFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const field = (from: number, length: number) =>
      archive.toString("utf8", at + from, at + from + length).replace(/\0[^]*$/, "");
    const size = Number.parseInt(field(124, 12).trim(), 8) || 0;
    const content = archive.subarray(at + 512, at + 512 + size);
    const [type, prefix] = [field(156, 1), field(257, 5) === "ustar" ? field(345, 155) : ""];
    const path = longName ?? join(prefix, field(0, 100));
    longName = type === "L" ? content.toString("utf8").replace(/\0[^]*$/, "") : undefined;
    if ((type === "0" || type === "") && readable.test(path)) files.push({ path, text: content.toString("utf8") });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
