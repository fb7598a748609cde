import * as pulumi from "@pulumi/pulumi";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { InputError, type Problem } from "../../../components/core/problems";
import { isRecord } from "../../../components/core/reader/records";
import {
  anything,
  check,
  flag,
  input,
  list,
  mapOf,
  optional,
  parse,
  problemsIn,
  completeArgs,
  resolved,
  section,
  text,
  type Schema,
} from "../../../components/core/schema";

const inner = section({ on: optional(flag(), true), name: optional(text()) });
const found = (schema: Schema, given: unknown, at?: string) =>
  problemsIn(schema, given, at).map(({ code, path }) => [code, path]);

test.for([
  ["a list", [], "wrong-type"],
  ["an Output", pulumi.output({}), "wrong-type"],
  ["a number", 7, "wrong-type"],
  ["null", null, "wrong-type"],
  ["undefined", undefined, "missing"],
] as const)("%s is neither a section nor a map", ([, got, code]) => {
  expect(found(inner, got)).toEqual([[code, "args"]]);
  expect(found(section({ inner }), { inner: got })).toEqual([[code, "inner"]]);
  expect(found(mapOf(text(), "{}"), got, "labels")).toEqual([[code, "labels"]]);
});

test("an Output has no keys to check", () => {
  expect(problemsIn(inner, pulumi.output({}), "inner")[0]).toMatchObject({
    got: "an Output",
    fix: "set inner to a plain value",
  });
});

test("the sections of a map get their defaults, and their unknown keys are problems", () => {
  const map = mapOf(inner, "{ a: {} }");
  expect(parse(map, { a: {}, constructor: { on: false } }).value).toEqual({
    a: { on: true },
    constructor: { on: false },
  });
  expect(found(map, { a: { off: true }, constructor: 1, b: { on: 1 } })).toEqual([
    ["unknown-key", "a.off"],
    ["wrong-type", "constructor"],
    ["wrong-type", "b.on"],
  ]);
});

test("keys are checked in a schema that depends on the value", () => {
  const byKind = v.lazy((given) => (isRecord(given) && "size" in given ? section({ size: flag() }) : section({})));
  const schema = section({ disk: byKind, group: input(section({ name: text() })) });
  const group = { name: "a" };
  expect(found(schema, { disk: { size: true }, group })).toEqual([]);
  expect(found(schema, { disk: { size: true, sise: 1 }, group })).toEqual([["unknown-key", "disk.sise"]]);
  expect(found(schema, { disk: { colour: 1 }, group })).toEqual([["unknown-key", "disk.colour"]]);
  expect(found(schema, { disk: {}, group: { name: "a", id: 1 } })).toEqual([["unknown-key", "group.id"]]);
});

test("repeated items are problems, Outputs are not compared", () => {
  const later = pulumi.output("a");
  const items = list(input(text()), '["a"]', { distinct: true });
  expect(problemsIn(items, ["a", "b", later, later, "a"], "ids")).toEqual([
    { code: "conflict", path: "ids[4]", got: "a", why: "Repeats ids[0].", fix: "remove ids[4]" },
  ]);
});

test("a check that parses reports the full path, at every depth", () => {
  const problem = (at: string) =>
    ({ code: "conflict", path: `${at}.on`, got: 1, why: `${at} ${at}.on`, fix: at }) as const;
  const deep = section({
    inner: v.pipe(
      inner,
      check((_, at) => [problem(at)]),
    ),
  });
  const outer = v.pipe(
    anything<object>(),
    check((given: object, at) => problemsIn(section({ deep }), given, at)),
  );
  const wrong = { deep: { inner: {} } };
  for (const [schema, given, at] of [
    [section({ deep }), wrong, "lab"],
    [outer, wrong, "lab"],
    [section({ lab: outer }), { lab: wrong }, ""],
  ] as const) {
    expect(problemsIn(schema, given, at).map(({ path, why, fix }) => [path, why, fix])).toEqual([
      ["lab.deep.inner.on", "lab.deep.inner lab.deep.inner.on", "lab.deep.inner"],
    ]);
  }
});

test.for([
  ["True", "set on to true, in lowercase"],
  ["FALSE", "set on to false, in lowercase"],
  ["true", "set on to true, without quotes"],
  ["yes", "set on to true or false, without quotes"],
  [1, "set on to true or false"],
] as const)("the fix of a flag that is %j", ([given, fix]) => {
  expect(problemsIn(flag(), given, "on")).toMatchObject([{ code: "wrong-type", path: "on", fix }]);
});

describe("completeArgs", () => {
  const args = section({ on: optional(flag(), false) });
  const name: Problem = { code: "not-allowed", path: "name", got: "A", why: "Must be lowercase.", fix: "use a" };
  const resolve = (given: object, others?: readonly Problem[]) =>
    completeArgs("Component", args, given, (value) => ({ ...value, complete: true }), others);

  test("fills in defaults and completes, once", () => {
    expect(resolve({})).toEqual({ on: false, complete: true });
    const done = resolved<object>({ on: "checked before" });
    expect(resolve(done)).toBe(done);
  });

  test.for([
    [{ on: 1 }, ["name", "on"]],
    [resolved<object>({}), ["name"]],
  ] as const)("reports other problems together with those of the arguments %#", ([given, paths]) => {
    const problemsOf = (): readonly Problem[] => {
      try {
        return expect.fail(JSON.stringify(resolve(given, [name])));
      } catch (error) {
        return InputError.is(error) ? error.problems : [];
      }
    };
    expect(problemsOf().map(({ path }) => path)).toEqual(paths);
  });
});
