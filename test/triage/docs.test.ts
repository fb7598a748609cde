import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { findingIds, stations } from "../../triage/finding";
import { resourceNames, resources } from "../../triage/objects/kinds";

const text = readFileSync("docs/triage.md", "utf8");

test("the page lists every conclusion under its station, and no other", () => {
  const rows = [...text.matchAll(/^\| (\w+) +\| `([a-z-]+)` +\| /gm)].map(([, station, id]) => `${station} ${id}`);
  const known = stations.flatMap((station) => findingIds[station].map((id) => `${station} ${id}`));
  expect(rows).toEqual(expect.arrayContaining(known));
  expect(rows.toSorted()).toEqual(known.toSorted());
});

test("the role allows exactly what the command reads, and to read it alone", () => {
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
