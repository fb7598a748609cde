// Lints the scripts that run in pods, on nodes and in the GitHub Action. A script is skipped if its linter is missing, or rejected with
// REQUIRE_LINTERS=1. Debian packages the linters as shellcheck, pyflakes3 and perl.
//
//   node tools/run.mjs check-scripts
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { extname, join } from "node:path";

const root = join(__dirname, "..");

/** The command that checks a file, by its extension. */
const linters: Readonly<Record<string, readonly [string, ...string[]]>> = {
  ".py": ["pyflakes3"],
  ".sh": ["shellcheck"],
  ".pl": ["perl", "-c"],
};

function check(path: string): { skipped?: string; failed?: string }[] {
  const linter = linters[extname(path)];
  if (!linter) return [];
  const [program, ...args] = linter;
  const { error, status, stdout, stderr } = spawnSync(program, [...args, path], { cwd: root, encoding: "utf8" });
  if (!error) return [status === 0 ? {} : { failed: `${path}\n${stdout}${stderr}` }];
  const missing = `${path} (no ${program})`;
  return [process.env["REQUIRE_LINTERS"] === "1" ? { failed: missing } : { skipped: missing }];
}

export function main(): void {
  const scripts = ["components", "tools/action"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const results = scripts.flatMap(check);
  const skipped = results.flatMap((result) => result.skipped ?? []);
  const failed = results.flatMap((result) => result.failed ?? []);
  const rest = skipped.length > 0 ? `; skipped: ${skipped.join(", ")}` : "";
  process.stdout.write(`${results.length - skipped.length - failed.length} scripts pass${rest}\n`);
  if (failed.length === 0) return;
  process.stderr.write(`${failed.join("\n")}\n`);
  process.exitCode = 1;
}
