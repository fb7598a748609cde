import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import type { ProblemCode } from "../../components";
import { readLabConfig } from "../../stacks/run/lab-config";

const page = readFileSync("docs/errors.md", "utf8");
const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(
  ([, code, what, example, said]) => ({ code, what, example, said }),
);
const { values } = stackConfig(findProject(process.cwd()), "gpu-lab", []);

/** Every code there is: the compiler keeps this list complete. */
const codes: Record<ProblemCode, true> = {
  "wrong-type": true,
  "out-of-range": true,
  "not-allowed": true,
  missing: true,
  "unknown-key": true,
  conflict: true,
  version: true,
  "not-offered": true,
};

test("the page lists every code once", () => {
  expect(rows.map(({ code }) => code).sort()).toEqual(Object.keys(codes).sort());
});

test.for(rows)("the example of $code says what the page says", ({ code, example, said }) => {
  const { problems } = readLabConfig(configOf(String(example)), "gpu-lab");
  expect(problems.map((problem) => [problem.code, problem.why])).toContainEqual([code, said]);
});

function configOf(example: string): Record<string, string> {
  const text = example.replaceAll("`", "");
  const [left] = /^(\w+) left out$/.exec(text)?.slice(1) ?? [];
  if (left === undefined) return { ...stackConfig(findProject(process.cwd()), "gpu-lab", [text]).values };
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== `eks-gpu-lab:${left}`));
}

test("the sample at the top is what the tool prints", () => {
  const overrides = ["gpuNodes.maxSize=1", "gpuNodes.desiredSize=3", "nccl=closed"];
  const { problems } = readLabConfig(stackConfig(findProject(process.cwd()), "gpu-lab", overrides).values, "gpu-lab");
  for (const { path, why, fix } of problems) {
    expect(page).toContain(`  ${path}: got `);
    expect(page).toContain(`${why}\n    fix: ${fix}`);
  }
  expect(problems).toHaveLength(2);
});
