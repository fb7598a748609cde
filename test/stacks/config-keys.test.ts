import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { isDocumentationCidr } from "../../components/cluster/access/public-access";
import { findProject } from "../../planner/program/project";
import { configSection, configType, placeholderCidr, type ConfigKey } from "../../stacks/run/config-keys";
import { interfaceDocs } from "../../tools/argument-docs";
import { ownProject } from "../support/own-project";

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

test("only the addresses that reach the API must be set, and Pulumi.yaml has a placeholder for them", () => {
  const required = docs.filter(({ path, isOptional }) => !isOptional && !path.includes(".")).map(({ path }) => path);
  expect(required).toEqual(["publicAccessCidrs"]);
  // Pulumi refuses a stack without a value for a declared key that has no default.
  const { defaults } = findProject(ownProject);
  expect([...defaults].flatMap(([key, value]) => (value === undefined ? [key] : []))).toEqual([]);
  expect(defaults.get("eks-gpu-lab:publicAccessCidrs")).toEqual([placeholderCidr]);
  expect(isDocumentationCidr(placeholderCidr)).toBe(true);
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

test.skipIf(!existsSync(".git"))("pulumi config set changes no tracked file [needs a Git clone]", () => {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const files = ["gpu-lab", "my-own"].map((stack) => `stacks/Pulumi.${stack}.yaml`);
  expect(git("check-ignore", ...files).split("\n")).toEqual(files);
  expect(git("ls-files", "stacks/Pulumi.*.yaml")).toBe("");
});
