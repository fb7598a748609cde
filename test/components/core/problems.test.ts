import { inspect } from "node:util";
import { Output, RunError } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { optionalProperty } from "../../../components/core/reader/records";
import { flag, optional, parse, problemsIn, section, wholeNumber } from "../../../components/core/schema";
import { InputError, refuse, renderProblem, show } from "../../../components/core/problems";
import { named, tagMap, token } from "../../../components/core/tokens";
import { transformed } from "../../../components/core/transform";

test.for([
  [undefined, "nothing"],
  [null, "nothing"],
  ["", 'an empty string ("")'],
  ["a", '"a"'],
  [1.5, "1.5"],
  [10n, "10"],
  [Number.NaN, "NaN"],
  [false, "false"],
  [{ a: [1] }, '{"a":[1]}'],
  [() => 1, "function"],
  [{ a: 1n }, "object"],
  ["a".repeat(198), `"${"a".repeat(198)}"`],
  ["a".repeat(199), `"${"a".repeat(198)}…`],
  [{ a: ["b".repeat(1000)] }, `{"a":["${"b".repeat(192)}…`],
  [Output.create("a"), '"an Output"'],
  [{ a: [Output.create("a")] }, '{"a":["an Output"]}'],
] as [unknown, string][])("%s is shown as in a configuration file", ([value, text]) => expect(show(value)).toBe(text));

test("Node.js prints an InputError as its message: Pulumi's runner inspects every error, stack and all", () => {
  const error = new InputError("stack x", [{ code: "missing", path: "a", got: 1, why: "It is.", fix: "do" }]);
  expect(inspect(error)).toBe(error.message);
});

test("a problem takes two lines, with what both start with", () => {
  const problem = { path: "a.b", got: "c", why: "Must be set.", fix: "set a.b" };
  expect(renderProblem(problem)).toBe('a.b: got "c". Must be set.\n  fix: set a.b');
  expect(renderProblem({ ...problem, got: 1 }, "  ")).toBe("  a.b: got 1. Must be set.\n    fix: set a.b");
});

test("an InputError tells every problem, is known across copies, and prints without a stack under Pulumi", () => {
  const problem = { code: "missing", path: "a", got: undefined, why: "It is needed.", fix: "state it" } as const;
  const error = new InputError('Thing "t"', [problem, { ...problem, path: "b" }]);
  expect(error.message).toBe(
    '2 problems with Thing "t":\n  a: It is needed.\n    fix: state it\n  b: It is needed.\n    fix: state it',
  );
  expect(InputError.is(error)).toBe(true);
  expect(InputError.is(Object.assign(new Error(), { code: "EKS_GPU_LAB_INPUT" }))).toBe(true);
  expect(InputError.is(new Error())).toBe(false);
  expect(RunError.isInstance(error)).toBe(true);
  expect(() => refuse("x", [])).not.toThrow();
  expect(() => refuse("x", [problem])).toThrow("1 problem with x:");
});

test("an optional property is left out without a value", () => {
  expect([0, false, "x", "", undefined].map((value) => optionalProperty("a", value))).toEqual([
    { a: 0 },
    { a: false },
    { a: "x" },
    {},
    {},
  ]);
});

test("an explicit undefined keeps the default, and vanishes where there is none", () => {
  const numbers = section({
    a: optional(wholeNumber({ min: 0 }), 1),
    b: optional(wholeNumber({ min: 0 }), 1),
    c: optional(flag()),
  });
  const { value } = parse(numbers, { a: 2, b: undefined, c: undefined });
  expect(value).toEqual({ a: 2, b: 1 });
  expect(value).not.toHaveProperty("c");
});

test("a transform changes copies: by values, or by a function that sees options and name too", () => {
  const args = { size: 1, keep: true };
  const opts = { protect: false };
  expect(transformed({ size: 2 }, "n", args, opts)).toEqual(["n", { size: 2, keep: true }, opts]);
  const byFunction = transformed<typeof args>(
    (changed, options, name) => {
      changed.size = name.length;
      options.protect = true;
    },
    "name",
    args,
    opts,
  );
  expect(byFunction).toEqual(["name", { size: 4, keep: true }, { protect: true }]);
  expect(transformed(undefined, "n", args, opts)).toEqual(["n", args, opts]);
  expect([args, opts]).toEqual([{ size: 1, keep: true }, { protect: false }]);
});

test("tokens and tags", () => {
  expect(token("Vpc")).toBe("eks-gpu-lab:index:Vpc");
  expect(named("n", { Team: "a", Name: "own" })).toEqual({ Name: "own", Team: "a" });
  expect(named("n", undefined)).toEqual({ Name: "n" });
});

test.for([
  [{ Team: "research lab", "a:b/c=d+e-f@g_h.i": "ü" }, undefined],
  [{ Team: 1 }, "wrong-type"],
  ["Team", "wrong-type"],
  [null, "wrong-type"],
  [{ "AWS:x": "y" }, "not-allowed"],
  [{ ["k".repeat(129)]: "v" }, "not-allowed"],
  [{ k: "v".repeat(257) }, "not-allowed"],
  [{ "": "v" }, "not-allowed"],
  [{ k: "a,b" }, "not-allowed"],
] as [unknown, string | undefined][])("tags %j: %s", ([got, code]) => {
  expect(problemsIn(tagMap(), got, "tags")[0]?.code).toBe(code);
});
