import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import * as semver from "semver";
import { expect, test } from "vitest";
import example from "../../examples/unit-test/package.json";
import { devDependencies, engines, peerDependencies } from "../../package.json";

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly strategy?: { readonly matrix: { readonly node: number[] } } }>>;
}

test("the oldest version of each peer dependency is the one that the tests run with", () => {
  const oldest = Object.entries(peerDependencies).map(([name, range]) => [name, semver.minVersion(range)?.version]);
  expect(devDependencies).toMatchObject(Object.fromEntries(oldest));
});

test("the page names the versions of Node.js that are tested, from the oldest that the package accepts", () => {
  const row = /^\| Node\.js +\| (.*?) +\|$/m.exec(readFileSync("docs/versions.md", "utf8"))?.[1] ?? "";
  const { jobs } = load(readFileSync(".github/workflows/ci.yaml", "utf8")) as Workflow;
  const tested = jobs["test"]?.strategy?.matrix.node ?? [];
  expect(row).toContain(`${tested.slice(0, -1).join(", ")} and ${String(tested.at(-1))}, each tested for every change`);
  expect(engines.node).toBe(`>=${String(tested[0])}`);
});

interface Dependabot {
  readonly updates: readonly {
    readonly directories: readonly string[];
    readonly groups: Readonly<Record<string, { readonly patterns: readonly string[] }>>;
    readonly ignore: readonly { readonly "dependency-name": string; readonly "update-types"?: readonly string[] }[];
  }[];
}

test("Dependabot updates what the examples share with the package in one pull request, or not at all", () => {
  const [npm] = (load(readFileSync(".github/dependabot.yml", "utf8")) as Dependabot).updates;
  expect(npm?.directories).toEqual(["/", "/examples/*"]);
  const ignored = npm?.ignore.filter((entry) => !entry["update-types"]).map((entry) => entry["dependency-name"]) ?? [];
  const patterns = [...(npm?.groups["examples"]?.patterns ?? []), ...ignored];
  const covered = (name: string) =>
    patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
  const shared = Object.keys({ ...example.dependencies, ...example.devDependencies });
  expect(shared.filter((name) => !covered(name))).toEqual(["eks-gpu-lab"]);
});
