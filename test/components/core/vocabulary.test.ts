import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { isOutput } from "../../../components/core/outputs";
import { requirePlainValue } from "../../../components/core/problems";
import { isPlainObject, problemsIn, unknownKeys } from "../../../components/core/parse";
import { isRecord } from "../../../components/core/reader/records";
import { flag, matching, oneOf, section, wholeNumber, type Schema } from "../../../components/core/schema";
import { nearest } from "../../../components/core/suggest";
import { testProblems } from "../../support/problems";

const vocabulary = {
  range: wholeNumber({ min: 1, max: 9, unit: "nodes" }),
  open: wholeNumber({ min: 1 }),
  word: oneOf(["open", "shut"], { closed: "shut", locked: "barred" }),
  form: matching(/^[a-z]+$/, "lowercase letters", "use lowercase letters"),
  flag: flag(),
  object: section({}),
} satisfies Record<string, Schema>;
type Word = keyof typeof vocabulary;
const judge = ([word, given]: [Word, unknown]) => problemsIn(vocabulary[word], given, word);

test.for<[Word, unknown]>([
  ["range", 1],
  ["range", 9],
  ["open", 10 ** 9],
  ["word", "open"],
  ["form", "abc"],
  ["flag", true],
  ["flag", false],
  ["object", {}],
])("%s: %j is valid", (given) => expect(judge(given)).toEqual([]));

testProblems(judge, [
  ...[0, 10].map((got) => [["range", got], "out-of-range range"] as const),
  ...[1.5, Number.NaN, Infinity, "two", "1.5", "", "2", null, [1]].map(
    (got) => [["range", got], "wrong-type range"] as const,
  ),
  [["range", undefined], "missing range"],
  [["open", 0], "out-of-range open"],
  [["word", 1], "not-allowed word"],
  [["word", "closed"], "not-allowed word"],
  [["word", "locked"], "not-allowed word"],
  [["form", "ABC"], "not-allowed form"],
  [["form", 1], "wrong-type form"],
  [["flag", "true"], "wrong-type flag"],
  [["flag", 1], "wrong-type flag"],
  [["object", []], "wrong-type object"],
]);

test.for(Object.keys(vocabulary) as Word[])("%s rejects an Output and a Promise as such", (word) => {
  const problems = [pulumi.output(1), Promise.resolve(1)].flatMap((given) => judge([word, given]));
  expect(problems).toEqual([...requirePlainValue(word), ...requirePlainValue(word)]);
});

describe("unknownKeys", () => {
  const known = ["minSize", "maxSize"];
  const why = "Unknown key.";
  test.for([{}, { minSize: 1 }, { minSize: 1, maxSize: null }, { other: undefined }] as const)("%j is valid", (got) =>
    expect(unknownKeys("nodes", got, known)).toEqual([]),
  );

  test("each other key is a problem", () => {
    expect(unknownKeys("nodes", { maxsize: 2, maxSize: 2, colour: null }, known)).toEqual([
      { code: "unknown-key", path: "nodes.maxsize", got: 2, why, fix: "did you mean nodes.maxSize?" },
      { code: "unknown-key", path: "nodes.colour", got: null, why, fix: "use one of minSize, maxSize" },
    ]);
  });

  test("a hint comes before a guess, and an empty parent is left out", () => {
    expect(unknownKeys("", { maxsize: 2, minsize: 1 }, known, { maxsize: "leave it out" })).toEqual([
      { code: "unknown-key", path: "maxsize", got: 2, why, fix: "leave it out" },
      { code: "unknown-key", path: "minsize", got: 1, why, fix: "did you mean minSize?" },
    ]);
  });

  test("a key that every object inherits has no hint", () => {
    expect(unknownKeys("nodes", { toString: 1 }, known, {})[0]?.fix).toBe("use one of minSize, maxSize");
  });

  test("an empty key is shown, and one of prototypes is a key like any other", () => {
    const got = JSON.parse('{"": 1, "__proto__": 2}') as Record<string, unknown>;
    expect(unknownKeys("", got, known).map(({ path }) => path)).toEqual(['[""]', "__proto__"]);
  });

  test("why replaces the reason", () => {
    expect(unknownKeys("", { colour: 1 }, known, {}, "The chart has none.")[0]?.why).toBe("The chart has none.");
  });

  test("too many keys to choose from are not listed", () => {
    const many = Array.from({ length: 25 }, (_, index) => `k${index}`);
    expect(unknownKeys("nodes", { somethingElse: 1 }, many)[0]?.fix).toBe("remove nodes.somethingElse");
  });
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

test.for([
  ["an Output", pulumi.output("x"), true],
  ["a Promise", Promise.resolve("x"), true],
  ["a string", "x", false],
  ["nothing", undefined, false],
  ["null", null, false],
  ["an object", { apply: 1 }, false],
] as const)("%s is an Output: %j", ([, value, later]) => {
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
