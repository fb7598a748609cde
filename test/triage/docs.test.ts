import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { resourceNames, resources } from "../../triage/snapshot/objects/resources";

const text = readFileSync("docs/triage.md", "utf8");

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
