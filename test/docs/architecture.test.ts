import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { valueAt } from "../../components/core/reader/paths";
import * as versions from "../../components/core/versions";
import rooms from "../../tools/rooms.json";

const page = readFileSync("docs/architecture.md", "utf8");
const rows = page
  .slice(page.indexOf("## How to change what"))
  .split("\n")
  .flatMap((line) => {
    const [, change = "", example, files = "", also = ""] = line.split("|").map((cell) => cell.trim());
    return example?.startsWith("`") ? [{ change, example: example.slice(1, -1), files: quoted(files + also) }] : [];
  });

function quoted(cells: string): string[] {
  return [...cells.matchAll(/`(.+?)`/g)].map(([, name]) => name ?? "");
}

/**
 * Edited by hand, and neither a test, a page nor a generated file; nor a vendor's file or an example, which state the version
 * that was read and that of their cluster.
 */
const sources = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(ts|mjs|json|yaml|py|sh|pl)$/.test(file) && existsSync(file))
  .filter(
    (file) =>
      !/^(test|docs|tools\/bench|examples|components\/vendor)\/|policy-config\.example|package|(?:provider\/|stack-file\.)schema\.json|Pulumi\.yaml$/.test(
        file,
      ),
  );

/** The version of a pin such as `gpuOperatorChart.version`, in quotes; another example as it is. */
function searched(example: string): string {
  const pin = valueAt({ ...versions }, example.split("."));
  return typeof pin === "string" ? `"${pin}"` : example;
}

/** Whether the code of a file, not its comments, contains a text; or its name does. */
function mentions(file: string, text: string): boolean {
  const code = readFileSync(file, "utf8").replace(/\/\*[^]*?\*\/|^\s*\/\/.*$|\w+\/\w+:\w+/gm, "");
  const word = new RegExp(`(?<![\\w-])${text.replace(/[.]/g, "\\.")}(?![\\w-])`);
  return word.test(code) || file.split(/[/.]/).includes(text) || file.includes(`${text}.`);
}

test("the table has a row for each kind of change", () => {
  expect(rows.map(({ change }) => change)).toEqual([
    "key of `gpuNodes`",
    "policy rule",
    "alert",
    "lab",
    "triage conclusion",
    "chart version",
    "Kubernetes minor",
    "instance type",
    "option of a command",
    "source of GPU instances",
    "leftover AWS resource",
    "preflight check",
    "simulated AWS type",
  ]);
});

test.for(rows)("$change: $example is in exactly the files that the table names", ({ example, files }) => {
  const found = sources.filter(
    (file) => mentions(file, searched(example)) && !/example\.ts$/.test(file.replace(`${example}.example`, "")),
  );
  expect(found.sort()).toEqual([...files].sort());
});

test.for(rooms)("the room $folder exists, and imports rooms that exist", ({ folder, imports }) => {
  for (const path of [folder, ...imports]) expect(existsSync(path), path).toBe(true);
});
