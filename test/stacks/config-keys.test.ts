import { expect, test } from "vitest";
import { findProject } from "../../planner/program/project";
import { configSection, configType, type ConfigKey } from "../../stacks/run/config-keys";
import { interfaceDocs } from "../../scripts/argument-docs";

const docs = interfaceDocs("stacks/run/config-keys.ts", "Configuration");
const byPath = new Map(docs.map((doc) => [doc.path, doc]));

test("every key of the schema is documented, and no other", () => {
  const top = docs.map(({ path }) => path).filter((path) => !path.includes("."));
  expect(top.sort()).toEqual(Object.keys(configSection.entries).sort());
});

test.for(docs.map(({ path }) => path))("%s: its docstring says what it does, and its default", (path) => {
  const { text, isOptional, defaultText } = byPath.get(path) ?? { text: "", isOptional: false, defaultText: undefined };
  expect(text).toMatch(/^[A-Z`]/);
  if (isOptional) expect(defaultText).toMatch(/ - \S/);
});

test("only the addresses that reach the API must be set", () => {
  const required = docs.filter(({ path, isOptional }) => !isOptional && !path.includes(".")).map(({ path }) => path);
  expect(required).toEqual(["publicAccessCidrs"]);
  // Pulumi refuses a stack without a value for a declared key that has no default.
  const declared = [...findProject(process.cwd()).defaults];
  expect(declared.flatMap(([key, value]) => (value === undefined ? [key] : []))).toEqual([
    "eks-gpu-lab:publicAccessCidrs",
  ]);
});

test.for(["systemNodes", "gpuNodes"])("the sizes, disk and pods of %s state their limits", (section) => {
  const textOf = (key: string) => byPath.get(`${section}.${key}`)?.text;
  for (const size of ["desiredSize", "minSize", "maxSize"]) expect(textOf(size)).toMatch(/, [01] to 450\./);
  expect(textOf("diskSizeGiB")).toMatch(/in GiB, \d+ to 16384, /);
  expect(textOf("maxPods")).toContain("1 to 110, or to 250 on types with 30 vCPUs and more");
});

test.for([
  ["lab", "string"],
  ["nccl", "string"],
  ["secretsKey", "string"],
  ["kubernetesVersion", "string"],
  ["logRetentionDays", "integer"],
  ["deletionProtection", "boolean"],
  ["publicAccessCidrs", "array"],
  ["admins", "array"],
  ["controlPlaneLogs", "array"],
  ["network", "object"],
  ["gpuNodes", "object"],
  ["addons", "object"],
  ["tags", "object"],
] as const)("Pulumi stores %s as %s", ([key, type]) => expect(configType(key as ConfigKey)).toBe(type));
