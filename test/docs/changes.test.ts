import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { isRecord } from "../../components/core/reader/records";
import { changesByKey } from "../../tools/config-docs";
import { changesAlone, otherTests, refusedChanges, sharedPreviews, type Shown } from "../engine/support/key-changes";
import { configSection, innerKeys, type ConfigKey } from "../../stacks/run/config-keys";

const changes = changesByKey();

/** Every key, and for a section every key in it. */
const keys = (Object.keys(configSection.entries) as ConfigKey[]).flatMap((key) => {
  const inner = innerKeys(key);
  return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`);
});

test("every configuration key says what a change does, and no other has", () => {
  expect([...changes.keys()].sort()).toEqual([...keys, "aws:profile", "aws:region"].sort());
});

test("the keys are those of Pulumi.yaml", () => {
  const project = load(readFileSync("Pulumi.yaml", "utf8"));
  const config = isRecord(project) && isRecord(project["config"]) ? project["config"] : {};
  const declared = Object.keys(config).filter((key) => !key.includes(":"));
  const own = [...changes.keys()].filter((key) => !key.includes(":"));
  expect([...new Set(own.map((key) => key.split(".")[0]))].sort()).toEqual(declared.sort());
});

const page = readFileSync("docs/changes.md", "utf8");

const shown = [...Object.values(sharedPreviews), changesAlone].flatMap((rows) => Object.entries<Shown>(rows));
const proven = [...shown.map(([key]) => key), ...Object.keys(refusedChanges), ...Object.keys(otherTests)];

test("each change is verified on the engine or by another test, or the page says why not", () => {
  const [, section = ""] = page.split("Not verified:\n");
  const listed = [...(section.split("<!--")[0] ?? "").matchAll(/^- `([\w.]+)`: \S.*\.$/gm)].map(([, key]) => key);
  expect([...proven, ...listed].sort()).toEqual([...changes.keys()].sort());
});

test("each preview makes a change, and shows lines unless the change is refused or changes nothing", () => {
  for (const [key, config] of Object.entries(refusedChanges)) expect(config, key).not.toEqual([]);
  for (const [key, { config, lines }] of shown) {
    expect(config, key).not.toEqual([]);
    const effect = changes.get(key)?.effect;
    expect(lines.length > 0, key).toBe(effect !== "refused" && effect !== "no change");
  }
});

test.for(Object.entries(otherTests))("the other test of %s exists", ([, { file, title }]) =>
  expect(readFileSync(file, "utf8")).toContain(`"${title}"`),
);

test("each change says what happens, unless docs/changes.md says it of all nodes", () => {
  for (const [key, { effect, what }] of changes) {
    const isOfNodes = /^(gpu|system)Nodes\./.test(key) && (effect === "rolling" || effect === "replaced");
    expect(what, key).toMatch(isOfNodes ? /^$|^[`A-Z].*\.$/ : /^[`A-Z].*\.$/);
  }
});
