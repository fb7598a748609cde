import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { conclusionsOf, layers } from "../../triage/conclusions";
import { resourceNames, resources } from "../../triage/snapshot/objects/resources";

const text = readFileSync("docs/triage.md", "utf8");

/** Every conclusion as a Markdown table, formatted as prettier does. */
function conclusionTable(): string {
  const rows = layers.flatMap((layer) => conclusionsOf(layer).map(([id, meaning]) => [layer, `\`${id}\``, meaning]));
  const header = ["check", "id", "meaning"];
  const widths = header.map((title, at) =>
    Math.max(...[title, ...rows.map((row) => row[at] ?? "")].map((one) => one.length)),
  );
  const line = (cells: readonly string[], fill = " ") =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(" | ")} |`;
  return [line(header), line(["", "", ""], "-"), ...rows.map((row) => line(row))].join("\n");
}

test("the page lists every conclusion with its meaning; vitest -u updates the list", async () => {
  const table = /^\| check +\| id +\| meaning +\|\n(?:\|.*\n)+/m;
  expect(text).toMatch(table);
  await expect(text.replace(table, () => `${conclusionTable()}\n`)).toMatchFileSnapshot("../../docs/triage.md");
});

test("the role allows exactly the requests that the command sends, and only reads", () => {
  const yaml = /```yaml\n([^]*?)```/.exec(text)?.[1] ?? "";
  const role = load(yaml) as { rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] };
  const allowed = role.rules.flatMap(({ apiGroups: [group = ""], resources: names }) =>
    names.map((name) => `${group}/${name}`),
  );
  const groupOf = (api: string) => (api.startsWith("/apis/") ? (api.split("/")[2] ?? "") : "");
  const wanted = [...resourceNames.map((name) => `${groupOf(resources[name].api)}/${name}`), "/pods/log"];
  expect(allowed.toSorted()).toEqual(wanted.toSorted());
  expect(new Set(role.rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(["get", "list"]));
});
