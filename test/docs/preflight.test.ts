import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compatibilityResult } from "../../aws/account/check-result";
import { pinCommand } from "../../commands/pin/pin-options";
import { preflightCommand } from "../../commands/preflight/preflight-options";
import { preflightChecks } from "../../components/preflight/preflight-checks";

const page = readFileSync("docs/preflight.md", "utf8");
const sectionOf = (title: string) => page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";

test("the table has every check, in order, and says which a preview has", () => {
  const rows = [...sectionOf("What preflight checks").matchAll(/^\| `([\w-]+)` +\|[^|]+\| (yes|no) +\|/gm)];
  const expected = preflightChecks.map(({ id, inPreview }) => [id, inPreview ? "yes" : "no"]);
  const compatibility = [compatibilityResult([]).id, "no"];
  expect(rows.map(([, id, preview]) => [id, preview])).toEqual([...expected, compatibility]);
});

test("the page and the help have commands that the tools accept", () => {
  const commands = [
    ...`${page}\n${preflightCommand.help}\n${pinCommand.help}`.matchAll(
      /^(?:npx | {2})eks-gpu-lab (preflight|pin) ?([^\n#]*)/gm,
    ),
  ];
  expect(commands.length).toBeGreaterThan(6);
  for (const [, name, args = ""] of commands) {
    const words = args.split(" ").filter((word) => word !== "");
    expect(() => (name === "pin" ? pinCommand.read(words) : preflightCommand.read(words))).not.toThrow();
  }
});

test("the permissions are the actions that the commands ask for", () => {
  const asked = readdirSync("aws/account").flatMap((file) => {
    const calls = readFileSync(join("aws/account", file), "utf8").matchAll(/\.(?:ask|list)\(\s*("\w+:\w+")/g);
    return [...calls].map(([, action]) => action);
  });
  const granted = sectionOf("Permissions").match(/"\w+:[A-Z]\w+"/g);
  expect(granted).toEqual([...new Set(asked)].sort());
});
