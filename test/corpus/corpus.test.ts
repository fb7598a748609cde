import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { digestOf } from "./digest";
import { checkoutOf, corpusFolder, programs, repositories } from "./programs";
import { saySkipped } from "../support/skips";

const corpus = corpusFolder();
if ("why" in corpus) saySkipped(`The tests of public programs are skipped: ${corpus.why}`);
const folder = "why" in corpus ? "" : corpus.folder;

// The end of EKS's support for a version changes verdicts.
beforeAll(() => void vi.useFakeTimers({ now: new Date("2026-11-26"), toFake: ["Date"] }));
afterAll(() => void vi.useRealTimers());

// The programs use the packages of this project.
beforeAll(() => {
  if (folder === "") return;
  const packages = join(folder, "node_modules");
  rmSync(packages, { force: true });
  symlinkSync(join(process.cwd(), "node_modules"), packages);
});

describe.for(repositories.map(({ repository }) => repository))("%s", (repository) => {
  const listed = programs.filter((program) => program.repository === repository);
  test.for(listed.map(({ path, config }) => [path, config] as const))("%s", async ([path, config], { skip }) => {
    if ("why" in corpus) skip(corpus.why);
    expect(await digestOf(join(checkoutOf(folder, repository), path), config)).toMatchSnapshot();
  });
});

test("the list has at least 60 programs", () => {
  expect(programs.length).toBeGreaterThanOrEqual(60);
});
