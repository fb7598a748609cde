import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { isRecord } from "../../components/core/reader/records";
import { changeTable, providerRows } from "../../tools/changes/change-table";
import { configSection, innerKeys, type ConfigKey } from "../../stacks/run/config-keys";

/** Every key, and for a section every key in it. */
const keys = (Object.keys(configSection.entries) as ConfigKey[]).flatMap((key) => {
  const inner = innerKeys(key);
  return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`);
});

test("docs/changes.md has a row for every configuration key, and for no other", () => {
  expect(Object.keys(changeTable).sort()).toEqual([...keys, ...Object.keys(providerRows)].sort());
});

test("the keys are those of Pulumi.yaml", () => {
  const project = load(readFileSync("Pulumi.yaml", "utf8"));
  const config = isRecord(project) && isRecord(project["config"]) ? project["config"] : {};
  const declared = Object.keys(config).filter((key) => !key.includes(":"));
  const own = Object.keys(changeTable).filter((key) => !key.includes(":"));
  expect([...new Set(own.map((key) => key.split(".")[0]))].sort()).toEqual(declared.sort());
});

const rows = Object.entries(changeTable);
const page = readFileSync("docs/changes.md", "utf8");

test("each row is verified on the engine or by a test that exists, or the page says why not", () => {
  for (const [key, { effect, proof }] of rows) {
    // Without a type check, a row can lack its proof.
    expect(proof, key).toBeInstanceOf(Object);
    if ("preview" in proof) {
      expect(proof.config, key).not.toEqual([]);
      const showsLines = proof.preview !== "refused" && effect !== "refused" && effect !== "no change";
      expect((proof.lines ?? []).length > 0, key).toBe(showsLines);
    } else if ("file" in proof) expect(readFileSync(proof.file, "utf8"), key).toContain(`"${proof.title}"`);
    else expect(page).toContain(`- \`${key}\`: ${proof.unproven}`);
  }
});

test("the page lists as not verified exactly the rows without a test", () => {
  const [, section = ""] = page.split("Not verified:\n");
  const listed = [...(section.split("<!--")[0] ?? "").matchAll(/^- `([\w.]+)`: /gm)].map(([, key]) => key);
  expect(listed).toEqual(rows.flatMap(([key, { proof }]) => ("unproven" in proof ? [key] : [])));
});

test("each row says what happens, and a change of nodes how long it takes", () => {
  for (const [key, { effect, what, time }] of rows) {
    expect(what, key).toMatch(/^[`A-Z].*\.$/);
    if (effect === "rolling" || effect === "replaced") expect(time, key).toBeDefined();
  }
});
