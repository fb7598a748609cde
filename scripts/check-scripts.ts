// Checks the syntax of the scripts that run in pods and on nodes. A script is skipped if its interpreter is missing.
//
//   node scripts/run.mjs check-scripts
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { extname, join } from "node:path";

const root = join(__dirname, "..");

/** Parses a file without writing bytecode next to it. */
const parse = "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read(), sys.argv[1])";

/** The command that checks a file, by its extension. */
const checkers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  ".py": ["python3", "-c", parse],
  ".sh": ["bash", "-n"],
  ".pl": ["perl", "-c"],
};

interface Result {
  readonly skipped?: string;
  readonly failed?: string;
}

function check(path: string): Result[] {
  const checker = checkers[extname(path)];
  if (!checker) return [];
  const [program, ...args] = checker;
  const { error, status, stderr } = spawnSync(program, [...args, path], { cwd: root, encoding: "utf8" });
  if (error) return [{ skipped: `${path} (no ${program})` }];
  return [status === 0 ? {} : { failed: `${path}\n${stderr}` }];
}

export function main(): void {
  const scripts = readdirSync(join(root, "components"), { recursive: true, encoding: "utf8" });
  const results = scripts.flatMap((path) => check(join("components", path)));
  const skipped = results.flatMap((result) => result.skipped ?? []);
  const failed = results.flatMap((result) => result.failed ?? []);
  const rest = skipped.length > 0 ? `; skipped: ${skipped.join(", ")}` : "";
  process.stdout.write(`${results.length - skipped.length - failed.length} scripts parse${rest}\n`);
  if (failed.length === 0) return;
  process.stderr.write(`${failed.join("\n")}\n`);
  process.exitCode = 1;
}
