import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { isRecord } from "../../components/core/reader/records";
import { changeTable } from "../../scripts/changes/change-table";
import { configSection, innerKeys, type ConfigKey } from "../../stacks/run/config-keys";

/** Every key, and for a section every key in it. */
const keys = (Object.keys(configSection.entries) as ConfigKey[]).flatMap((key) => {
  const inner = innerKeys(key);
  return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`);
});

test("docs/changes.md has a row for every configuration key, and for no other", () => {
  expect(Object.keys(changeTable).sort()).toEqual([...keys].sort());
});

test("the keys are those of Pulumi.yaml", () => {
  const project = load(readFileSync("Pulumi.yaml", "utf8"));
  const config = isRecord(project) && isRecord(project["config"]) ? project["config"] : {};
  const declared = Object.keys(config).filter((key) => !key.includes(":"));
  expect([...new Set(Object.keys(changeTable).map((key) => key.split(".")[0]))].sort()).toEqual(declared.sort());
});

test("a refused key is verified on the engine, unless it names a cluster of another stack", () => {
  const unproven = Object.entries(changeTable).filter(([, { effect, proof }]) => effect === "refused" && !proof);
  expect(unproven.map(([key]) => key)).toEqual(["environment", "localCluster.context"]);
});

test("each row says what happens, and a change of nodes how long it takes", () => {
  for (const [key, { effect, what, time }] of Object.entries(changeTable)) {
    expect(what, key).toMatch(/^[`A-Z].*\.$/);
    if (effect === "rolling" || effect === "replaced") expect(time, key).toBeDefined();
  }
});
