import { beforeAll, expect, test } from "vitest";
import { readmeTable } from "../../scripts/config-docs";
import { configKeys, type ConfigKey } from "../../stacks/run/config-keys";

const keys: Readonly<Record<string, ConfigKey>> = configKeys;
let rows: string[][];

beforeAll(() => {
  const lines = readmeTable(keys).split("\n").slice(2);
  rows = lines.map((row) => row.slice(2, -2).split(" | "));
});

test("every row of the table says what its key is, and its default in a column of its own", () => {
  const inner = Object.values(keys).flatMap((key) => Object.keys(key.keys ?? {}));
  expect(rows).toHaveLength(Object.keys(keys).length + inner.length);
  for (const [key, , what] of rows) {
    expect(`${key}: ${what}`).toMatch(/: [a-zA-Z0-9{]/);
    expect(`${key}: ${what}`).not.toMatch(/\bdefault\b(?! version)/);
  }
});

test("every key within a section but those of no default names one", () => {
  const silent = rows.filter(([key, standard]) => key?.includes(".") && standard === "").map(([key]) => key);
  expect(silent).toEqual([]);
});

test("only the addresses that reach the API must be stated", () => {
  expect(rows.filter(([, standard]) => standard === "must be stated").map(([key]) => key)).toEqual([
    "`publicAccessCidrs`",
  ]);
  expect(rows).toContainEqual(["`admins`", "none", configKeys.admins.doc]);
});

test.for(["systemNodes", "gpuNodes"] as const)("the sizes, disk and pods of %s state their limits", (section) => {
  const { desiredSize, minSize, maxSize, diskSizeGiB, maxPods } = configKeys[section].keys;
  for (const size of [desiredSize, minSize, maxSize]) expect(size).toMatch(/, [01] to 450; default \d/);
  expect(diskSizeGiB).toMatch(/in GiB, \d+ to 16384, /);
  expect(maxPods).toContain("1 to 110, or to 250 on types of 30 vCPUs and more");
});
