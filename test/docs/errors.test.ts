import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ProblemCode } from "../../components";
import { InputError } from "../../components/core/problems";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { readLabConfig } from "../../stacks/run/lab-config";
import { ownProject } from "../support/own-project";

const stack = "gpu-lab";
const page = readFileSync("docs/errors.md", "utf8");

/** Every code: the compiler keeps this list complete. */
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

/** The settings in a line such as "Configuration: `nccl=closed`" or "Configuration: without `publicAccessCidrs`". */
function errorOf(line: string): InputError {
  const settings = [...line.matchAll(/`([^`]+)`/g)].map(([, setting = ""]) => setting);
  const isRemoved = line.includes("without");
  const { values } = stackConfig(findProject(ownProject), stack, isRemoved ? [] : settings);
  const kept = Object.entries(values).filter(
    ([key]) => !isRemoved || !settings.includes(key.replace("eks-gpu-lab:", "")),
  );
  return new InputError(`stack ${stack}`, readLabConfig(Object.fromEntries(kept), stack).problems);
}

/** Code and configuration of each section. */
const examples = [...page.matchAll(/^### (\S+)\n\nConfiguration: (.+)$/gm)].map(
  ([, code = "", configuration = ""]) => [code, configuration] as const,
);

test("the page lists every code in its table, each with an example", () => {
  const listed = [...page.matchAll(/^\| \[`([a-z-]+)`\]/gm)].map(([, code]) => code);
  expect(listed).toEqual(examples.map(([code]) => code));
  expect(listed.sort()).toEqual(Object.keys(codes).sort());
});

test.for(examples)("the example of %s has this code", ([code, configuration]) => {
  expect(errorOf(configuration).problems.map((problem) => problem.code)).toEqual([code]);
});

/** After a changed message, `vitest -u` writes the new output to the page. */
test("each example shows what the tool prints", async () => {
  const printed = page.replace(
    /^(Configuration: .+\n\n```text\n)[^]*?^```$/gm,
    (_, start: string) => `${start}${errorOf(start).message}\n\`\`\``,
  );
  await expect(printed).toMatchFileSnapshot("../../docs/errors.md");
});
