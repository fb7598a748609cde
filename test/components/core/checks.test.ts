import * as pulumi from "@pulumi/pulumi";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  isPlainObject,
  join,
  keysOf,
  matching,
  noObject,
  oneOf,
  onlyKeys,
  trueOrFalse,
  wholeNumber,
} from "../../../components/core/checks";
import { isOutput, requirePlainValue } from "../../../components/core/outputs";
import { isRecord } from "../../../components/core/reader/records";
import { nearest } from "../../../components/core/suggest";

const said = (problems: { why: string; fix: string }[]) => problems.map(({ why, fix }) => `${why} -> ${fix}`);

describe("wholeNumber", () => {
  const range = { min: 1, max: 9, unit: "nodes" };
  test.for([1, 9])("%i is fine", (got) => expect(wholeNumber("size", got, range)).toEqual([]));
  test.for([
    [0, "It must be from 1 to 9 nodes. -> set size to a whole number of nodes, from 1 to 9"],
    [10, "It must be from 1 to 9 nodes. -> set size to a whole number of nodes, from 1 to 9"],
    [1.5, "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
    [Number.NaN, "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
    [Infinity, "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
    ["two", "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
    ["1.5", "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
    ["", "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
    ["2", "It is a text, and must be a number. -> set size to 2, without quotes"],
    [null, "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
    [[1], "It must be a whole number. -> set size to a whole number of nodes, from 1 to 9"],
  ] as const)("%j is not", ([got, expected]) => expect(said(wholeNumber("size", got, range))).toEqual([expected]));

  test("a range without an end", () => {
    expect(wholeNumber("size", 10 ** 9, { min: 1 })).toEqual([]);
    expect(said(wholeNumber("size", 0, { min: 1 }))).toEqual([
      "It must be 1 or more. -> set size to a whole number, 1 or more",
    ]);
  });
});

test("oneOf and matching take a text of the right kind and nothing else", () => {
  expect(oneOf("mode", "open", ["open", "shut"])).toEqual([]);
  expect(said(oneOf("mode", 1, ["open", "shut"]))).toEqual([
    'It must be one of "open", "shut". -> set mode to one of "open", "shut"',
  ]);
  expect(matching("name", "abc", /^[a-z]+$/, "small letters", "write it small")).toEqual([]);
  expect(said(matching("name", "ABC", /^[a-z]+$/, "small letters", "write it small"))).toEqual([
    "It must be small letters. -> write it small",
  ]);
  expect(matching("name", 1, /^/, "", "")[0]?.code).toBe("wrong-type");
});

test("trueOrFalse takes a switch and nothing else", () => {
  expect([true, false].flatMap((got) => trueOrFalse("efa", got))).toEqual([]);
  expect(trueOrFalse("efa", "true")).toEqual([
    {
      code: "wrong-type",
      path: "efa",
      got: "true",
      why: "It must be true or false.",
      fix: "set efa to true or false, without quotes",
    },
  ]);
});

describe("onlyKeys", () => {
  const known = ["minSize", "maxSize"];
  const why = "There is no such key.";
  test.for([{}, { minSize: 1 }, { minSize: 1, maxSize: null }, { other: undefined }] as const)("%j is fine", (got) =>
    expect(onlyKeys("nodes", got, known)).toEqual([]),
  );

  test("each other key is a problem", () => {
    expect(onlyKeys("nodes", { maxsize: 2, maxSize: 2, colour: null }, known)).toEqual([
      { code: "unknown-key", path: "nodes.maxsize", got: 2, why, fix: "did you mean nodes.maxSize?" },
      { code: "unknown-key", path: "nodes.colour", got: null, why, fix: "choose among minSize, maxSize" },
    ]);
  });

  test("a hint comes before a guess, and an empty parent is left out", () => {
    expect(onlyKeys("", { maxsize: 2, minsize: 1 }, known, { maxsize: "leave it out" })).toEqual([
      { code: "unknown-key", path: "maxsize", got: 2, why, fix: "leave it out" },
      { code: "unknown-key", path: "minsize", got: 1, why, fix: "did you mean minSize?" },
    ]);
  });

  test("a key that every object inherits has no hint", () => {
    expect(onlyKeys("nodes", { toString: 1 }, known, {})[0]?.fix).toBe("choose among minSize, maxSize");
  });

  test("an empty key is shown, and one of prototypes is a key like any other", () => {
    const got = JSON.parse('{"": 1, "__proto__": 2}') as Record<string, unknown>;
    expect(onlyKeys("", got, known).map(({ path }) => path)).toEqual(['""', "__proto__"]);
  });

  test("why replaces the reason", () => {
    expect(onlyKeys("", { colour: 1 }, known, {}, "The chart has none.")[0]?.why).toBe("The chart has none.");
  });

  test("too many keys to choose from are not listed", () => {
    const many = Array.from({ length: 25 }, (_, index) => `k${index}`);
    expect(onlyKeys("nodes", { somethingElse: 1 }, many)[0]?.fix).toBe("remove nodes.somethingElse");
  });
});

test("keysOf lists the keys of an interface", () => {
  expect(keysOf<{ a: number; b?: string }>({ a: true, b: true })).toEqual(["a", "b"]);
  type Given = Parameters<typeof keysOf<{ a: number; b?: string }>>[0];
  expectTypeOf<Given>().toEqualTypeOf<Readonly<Record<"a" | "b", true>>>();
});

test.for([
  ["wholeNumber", (got: unknown) => wholeNumber("size", got, { min: 1 })],
  ["trueOrFalse", (got: unknown) => trueOrFalse("size", got)],
  ["oneOf", (got: unknown) => oneOf("size", got, ["open"])],
  ["matching", (got: unknown) => matching("size", got, /^a$/, "a", "write a")],
  ["noObject", (got: unknown) => noObject("size", got)],
] as const)("%s says of an Output and a Promise that they come too late, and nothing else", ([, check]) => {
  expect([pulumi.output(1), Promise.resolve(1)].flatMap(check)).toEqual([
    ...requirePlainValue("size"),
    ...requirePlainValue("size"),
  ]);
});

test.for([
  [{}, true],
  [Object.create(null), true],
  [pulumi.output({}), false],
  [Promise.resolve({}), false],
  [[], false],
  [null, false],
] as [unknown, boolean][])("%j is an object whose keys are known: %j", ([value, expected]) =>
  expect(isPlainObject(value)).toBe(expected),
);

test("join leaves out an empty parent", () => {
  expect([join("", "a"), join("a", "b")]).toEqual(["a", "a.b"]);
});

test.for([
  ["an Output", pulumi.output("x"), true],
  ["a Promise", Promise.resolve("x"), true],
  ["a text", "x", false],
  ["nothing", undefined, false],
  ["null", null, false],
  ["an object", { apply: 1 }, false],
] as const)("%s is known only later: %j", ([, value, later]) => {
  expect(isOutput(value)).toBe(later);
});

test.for([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ["x", false],
  [undefined, false],
] as [unknown, boolean][])("%j is a record: %j", ([value, expected]) => expect(isRecord(value)).toBe(expected));

test.for([
  ["maxsize", ["minSize", "maxSize"], "maxSize"],
  ["disk_size_gib", ["diskSizeGiB", "maxPods"], "diskSizeGiB"],
  ["coredn", ["coredns", "vpc-cni"], "coredns"],
  ["something", ["minSize", "maxSize"], undefined],
  ["x", [], undefined],
] as [string, string[], string | undefined][])("the name nearest to %s", ([given, known, expected]) => {
  expect(nearest(given, known)).toBe(expected);
});
