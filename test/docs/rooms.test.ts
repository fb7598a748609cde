import { existsSync } from "node:fs";
import { ESLint } from "eslint";
import { expect, test } from "vitest";

/** The rule needs no types, and a file of the project exists for each linted text. */
const eslint = new ESLint({
  ruleFilter: ({ ruleId }) => ruleId === "rooms/imports",
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
});

async function messages(file: string, code: string): Promise<string[]> {
  expect(existsSync(file), file).toBe(true);
  const [result] = await eslint.lintText(code, { filePath: file });
  return result?.messages.map(({ message }) => message) ?? [];
}

function rejection(folder: string, other: string): string[] {
  return [`${folder} must not import ${other}: see the table in docs/architecture.md.`];
}

test.for([
  ["policies/engine/rule.ts", "../facts/pods", "policies/engine", "policies/facts"],
  ["policies/engine/rule.ts", "../rules/nodes/gpu-single-az", "policies/engine", "policies/rules"],
  ["policies/engine/rule.ts", "../packs", "policies/engine", "policies/packs"],
  ["policies/facts/pods.ts", "../rules/nodes/gpu-single-az", "policies/facts", "policies/rules"],
  ["policies/facts/pods.ts", "../packs", "policies/facts", "policies/packs"],
  ["policies/rules/nodes/gpu-single-az.ts", "../../packs/lab/rules", "policies/rules", "policies/packs"],
  ["policies/rules/nodes/gpu-single-az.ts", "../../../planner/plan-stack", "policies/rules", "planner"],
  ["policies/engine/rule.ts", "../../components/nodes/scaling", "policies/engine", "components/nodes"],
  ["components/nodes/scaling.ts", "../gpu/operator/gpu-operator", "components/nodes", "components/gpu"],
  ["components/nodes/scaling.ts", "..", "components/nodes", "components"],
  ["components/nodes/scaling.ts", "../index", "components/nodes", "components"],
  ["components/gpu/operator/gpu-operator.ts", "../../gpu-environment", "components/gpu", "components"],
  ["components/gpu-environment.ts", "../stacks/labs", "components", "stacks"],
  ["components/index.ts", "../planner/plan-stack", "components", "planner"],
  ["planner/plan-stack.ts", "../test/support/plan", "planner", "test/support/plan"],
] as const)("%s must not import %s", async ([file, source, folder, other]) => {
  expect(await messages(file, `import { one } from "${source}";\n`)).toEqual(rejection(folder, other));
});

test.for([
  'import type { One } from "../packs";',
  'export { one } from "../packs";',
  'export * from "../packs";',
  'const one = import("../packs");',
  'type One = import("../packs").One;',
])("the form %s is an import", async (code) => {
  expect(await messages("policies/facts/pods.ts", code)).toEqual(rejection("policies/facts", "policies/packs"));
});

test.for([
  ["policies/facts/pods.ts", "./charts"],
  ["policies/facts/pods.ts", "../engine/rule"],
  ["policies/rules/nodes/gpu-single-az.ts", "../../facts/pods"],
  ["policies/rules/nodes/gpu-single-az.ts", "../../../components"],
  ["policies/packs/lab/rules.ts", "../../rules/nodes/gpu-single-az"],
  ["components/index.ts", "./gpu-environment"],
  ["components/gpu-environment.ts", "./nodes/gpu-node-group"],
  ["components/nodes/scaling.ts", "valibot"],
])("%s may import %s", async ([file = "", source = ""]) => {
  expect(await messages(file, `import { one } from "${source}";\n`)).toEqual([]);
});
