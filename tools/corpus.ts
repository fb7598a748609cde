import { execFileSync } from "node:child_process";
import { checkoutOf, repositories } from "../test/corpus/programs";

/**
 * Clones the repositories of test/corpus/programs.json, each at its commit, into a folder outside of this project:
 *
 *     node tools/run.mjs corpus FOLDER
 */
export function main([folder]: readonly string[]): void {
  if (folder === undefined) throw new Error("FOLDER: got nothing. Name a folder for the checkouts.");
  for (const { repository, commit } of repositories) {
    const dir = checkoutOf(folder, repository);
    const git = (...args: string[]) => execFileSync("git", ["-C", dir, ...args], { stdio: "inherit" });
    execFileSync("git", ["init", "-q", dir]);
    git("fetch", "-q", "--depth=1", `https://github.com/${repository}.git`, commit);
    git("checkout", "-q", commit);
  }
}
