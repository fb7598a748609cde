import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { leftoversCommand } from "../../commands/leftovers/leftovers-options";
import { identifyActions } from "../../commands/leftovers/identify";
import { userActions } from "../../commands/leftovers/users";
import { kinds } from "../../commands/leftovers/kinds/kinds";
import { plural } from "../../commands/leftovers/kinds/kind";
import { removalAction } from "../../commands/leftovers/requests";

const page = readFileSync("docs/recovery.md", "utf8");
const sectionOf = (title: string) => page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";

test("the pages and the help have commands that the tool accepts", () => {
  const text = `${page}\n${leftoversCommand.help}\n${readFileSync("docs/getting-started.md", "utf8")}`;
  const commands = [...text.matchAll(/^(?:npx | {2})eks-gpu-lab leftovers( --[^\n`#]*)/gm)];
  expect(commands.length).toBeGreaterThan(6);
  for (const [, args = ""] of commands) expect(() => leftoversCommand.read(args.trim().split(" "))).not.toThrow();
});

test("the page lists every kind in the order of its removal", () => {
  const rows = [
    ...(sectionOf("What it lists").split("An object is listed")[0] ?? "").matchAll(/^- [\w ]+: (.*)$/gm),
  ].flatMap(([, row = ""]) => row.split(", "));
  expect(rows).toEqual(kinds.map(({ kind }) => plural(kind)));
});

test("the permissions are the actions that the command needs", () => {
  const folder = "commands/leftovers/kinds";
  const sources = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, "utf8"));
  const removes = sources.flatMap((source) =>
    [...source.matchAll(/step\(aws, "(\w+:\w+)"/g)].map(([, name = ""]) => removalAction(name)),
  );
  const [ofListing = [], ofRemoval = []] = [...sectionOf("Permissions").matchAll(/```json([^]*?)```/g)].map(
    ([, json]) => (JSON.parse(json ?? "") as { Statement: [{ Action: string[] }] }).Statement[0].Action,
  );
  const reads = [...kinds.flatMap((kind) => kind.reads), ...identifyActions, ...userActions];
  expect(ofListing).toEqual([...new Set(reads)].sort());
  expect(ofRemoval).toEqual([...new Set(removes)].sort());
});
