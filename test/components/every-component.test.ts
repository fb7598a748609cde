import { readdirSync, readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { componentProblems, components } from "../support/valid-arguments";
import { wording } from "../support/problems";

test("every component is here", () => {
  const classes = readdirSync("components", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(`components/${file}`, "utf8").matchAll(/^export class (\w+) .*ComponentResource/gm),
    ]);
  expect(components.map(([name]) => name).sort()).toEqual(classes.map(([, name]) => name).sort());
});

describe.for(components)("%s", ([name, args, key, misspelt]) => {
  const brief = (transform: unknown) =>
    componentProblems(name, { ...args, transform }).map(({ path, code, got, fix }) => [path, code, got, fix]);
  const whole = "set the keys of transform";

  test("unknown arguments are rejected, and so are tags that are not strings", () => {
    const pathsOf = (more: object) => componentProblems(name, { ...args, ...more }).map(({ path }) => path);
    expect(pathsOf({ tagz: {} })).toEqual(["tagz"]);
    expect(pathsOf({ tags: { a: 1 } })).toEqual([expect.stringMatching(/^tags(\.a)?$/)]);
  });

  test("an object, a function, or nothing is a transform", () => {
    for (const value of [{}, undefined, ...(name === "GpuEnvironment" ? [] : [() => undefined])]) {
      expect(brief({ [key]: value })).toEqual([]);
    }
    expect([brief({}), brief(undefined)]).toEqual([[], []]);
  });

  test("the problem of a misspelt key names the right one, and not its value", () => {
    expect(brief({ [misspelt]: { password: "hunter2" } })).toEqual([
      [`transform.${misspelt}`, "unknown-key", "an object", `did you mean transform.${key}?`],
    ]);
  });

  test.for([
    [5, 5],
    ["tags", "tags"],
    [["hunter2"], "a list"],
    [null, null],
    [true, true],
  ])("%j is not a transform", ([value, shown]) => {
    expect(brief({ [key]: value }).map(([path, code, got]) => [path, code, got])).toEqual([
      [`transform.${key}`, "wrong-type", shown],
    ]);
    expect(brief(value)).toEqual([["transform", "wrong-type", shown, whole]]);
  });

  test("a function, or an Output, is not a map of transforms", () => {
    expect(brief(() => undefined)).toEqual([["transform", "wrong-type", "a function", whole]]);
    for (const [transform, path] of [
      [pulumi.output({}), "transform"],
      [{ [key]: pulumi.output({}) }, `transform.${key}`],
    ] as const) {
      expect(brief(transform)).toEqual([[path, "wrong-type", "an Output", `set ${path} to a plain value`]]);
    }
  });
});

test("what users read", () => {
  expect(wording(componentProblems("NcclTest", { transform: { job: 5, jobs: {} } }, "nccl"))).toMatchSnapshot();
});
