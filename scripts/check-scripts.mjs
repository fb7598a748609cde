// Checks the syntax of the scripts that run in pods and on nodes. A script is skipped when its interpreter is missing.
//
//   node scripts/check-scripts.mjs
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const parse = "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read(), sys.argv[1])";
const checkers = {
  ".py": ["python3", "-c", parse],
  ".sh": ["bash", "-n"],
  ".pl": ["perl", "-c"],
};

const scripts = readdirSync(join(root, "components"), { recursive: true })
  .filter((path) => Object.hasOwn(checkers, extname(path)))
  .map((path) => join("components", path));
const results = scripts.map((path) => {
  const [program, ...args] = checkers[extname(path)];
  const { error, status, stderr } = spawnSync(program, [...args, path], { cwd: root, encoding: "utf8" });
  if (error) return { skipped: `${path} (no ${program})` };
  return status === 0 ? {} : { failed: `${path}\n${stderr}` };
});

const skipped = results.flatMap((result) => result.skipped ?? []);
const failed = results.flatMap((result) => result.failed ?? []);
const count = scripts.length - skipped.length;
if (failed.length > 0) console.error(failed.join("\n"));
else console.log(`${count} scripts parse${skipped.length > 0 ? `; skipped: ${skipped.join(", ")}` : ""}`);
process.exitCode = failed.length > 0 ? 1 : 0;
