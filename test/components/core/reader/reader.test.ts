import { describe, expect, test } from "vitest";
import { Reader } from "../../../../components/core/reader/reader";
import { compare, type Reading } from "../../../../components/core/reader/reading";
import { all, Undetermined, unknownSentinels } from "../../../../components/core/reader/truth";
import { unknownCheckingProxy } from "../../../policies/support/proxy";

const unknown = unknownSentinels.number;

/** Which of the four it is, with the value or the path that is unknown. */
function stateOf<T>(reading: Reading<T>): unknown {
  const { isAbsent } = reading;
  if (isAbsent instanceof Undetermined) return { unknown: isAbsent.paths.join() };
  if (isAbsent) return "absent";
  return reading.isMalformed === true ? `malformed: ${reading.shown}` : reading.value;
}

describe("a value by path", () => {
  const data = {
    size: 3,
    none: null,
    block: { size: 4, later: unknown },
    blocks: [{ size: 5 }],
    laterBlocks: [unknown],
    two: [{ size: 1 }, { size: 2 }],
    later: unknown,
    labels: { "nvidia.com/gpu": "true" },
  };
  test.for([
    ["size", 3],
    ["block.size", 4],
    ["blocks.size", 5],
    ["missing", "absent"],
    ["missing.size", "absent"],
    ["none", "absent"],
    ["none.size", "absent"],
    ["block.missing", "absent"],
    ["later", { unknown: "later" }],
    ["later.size.more", { unknown: "later" }],
    ["block.later", { unknown: "block.later" }],
    ["laterBlocks.size", { unknown: "laterBlocks" }],
    ["block", "malformed: an object"],
    ["size.more", "malformed: nothing, for size is 3"],
    ["size.more.still", "malformed: nothing, for size is 3"],
    ["two.size", "malformed: nothing, for two is a list"],
    ["laterBlocks", "malformed: a list"],
    ["constructor", "absent"],
    ["__proto__", "absent"],
    ["block.hasOwnProperty", "absent"],
    ["", "absent"],
    [["labels", "nvidia.com/gpu"], "malformed: a string"],
  ] as const)("%j", ([path, expected]) => {
    expect(stateOf(new Reader(data).integer(path))).toEqual(expected);
  });

  test("paths read as in a program", () => {
    const reader = new Reader(data);
    expect(reader.at("block.size").path).toBe("block.size");
    expect(reader.at(["labels", "nvidia.com/gpu"]).path).toBe('labels["nvidia.com/gpu"]');
    expect(reader.at("block").at("size").integer().value).toBe(4);
    expect(reader.at("size").at("more").at("still").integer().path).toBe("size.more.still");
    expect(reader.list("two").value?.map(({ path }) => path)).toEqual(["two[0]", "two[1]"]);
    expect(reader.at("two").list().value?.[1]?.integer("size").path).toBe("two[1].size");
    expect(reader.entries("labels").value?.map(([key, { path }]) => [key, path])).toEqual([
      ["nvidia.com/gpu", 'labels["nvidia.com/gpu"]'],
    ]);
    expect(new Reader("text").at("x").integer().shown).toBe("nothing, for it is a string");
  });
});

describe("types", () => {
  const read = (value: unknown) => new Reader({ value });
  test.for([
    [3, 3],
    [-3, -3],
    ["3", 3],
    [" +3 ", 3],
    ["-07", -7],
    [1.5, "malformed: 1.5"],
    ["1.5", "malformed: a string"],
    ["", "malformed: an empty string"],
    ["1e3", "malformed: a string"],
    ["0x10", "malformed: a string"],
    ["99999999999999999999", "malformed: a string"],
    [1e300, "malformed: 1e+300"],
    [Number.POSITIVE_INFINITY, "malformed: Infinity"],
    [true, "malformed: true"],
    [[3], "malformed: a list"],
    [{}, "malformed: an object"],
  ] as const)("%j as a whole number", ([value, expected]) => {
    expect(stateOf(read(value).integer("value"))).toBe(expected);
  });

  test.for([
    [3, 3],
    [1.5, 1.5],
    ["3", "malformed: a string"],
    [Infinity, "malformed: Infinity"],
    [true, "malformed: true"],
  ] as const)("%j as a number", ([value, expected]) => {
    expect(stateOf(read(value).number("value"))).toBe(expected);
  });

  test.for([
    [true, true],
    ["true", true],
    ["false", false],
    ["yes", "malformed: a string"],
    [1, "malformed: 1"],
  ] as const)("%j as a boolean", ([value, expected]) => {
    expect(stateOf(read(value).boolean("value"))).toBe(expected);
  });

  test("a text is not shown, a version is, a word is if it is one of the list", () => {
    expect(read("abc").text("value")).toMatchObject({ value: "abc", shown: "a string" });
    expect(read("1.2.3").version("value")).toMatchObject({ value: "1.2.3", shown: '"1.2.3"' });
    expect(read("SPOT").choice("value", ["SPOT", "ON_DEMAND"])).toMatchObject({ value: "SPOT", shown: "SPOT" });
    expect(stateOf(read("spot").choice("value", ["SPOT"]))).toBe("malformed: a string");
    expect(stateOf(read(3).text("value"))).toBe("malformed: 3");
    expect(stateOf(read(unknown).text("value"))).toEqual({ unknown: "value" });
  });

  test("a list tells known items from unknown ones", () => {
    const items = read(["a", unknown, null]).list("value").value ?? [];
    expect(items.map((item) => stateOf(item.text()))).toEqual(["a", { unknown: "value[1]" }, "absent"]);
    expect(stateOf(read("a").list("value"))).toBe("malformed: a string");
    expect(stateOf(read(unknown).list("value"))).toEqual({ unknown: "value" });
  });

  test("the known strings of a list", () => {
    expect(read(["a", unknown, 1, "b"]).strings("value")).toEqual(["a", "b"]);
    expect([read("a"), read(unknown), read(undefined)].map((one) => one.strings("value"))).toEqual([[], [], []]);
  });

  test("entries come from an object, or from the only one of a list", () => {
    const keys = (value: unknown) =>
      read(value)
        .entries("value")
        .value?.map(([key]) => key);
    expect(keys({ a: 1, b: unknown })).toEqual(["a", "b"]);
    expect(keys([{ a: 1 }])).toEqual(["a"]);
    expect(keys(JSON.parse('{"__proto__":1,"constructor":2}'))).toEqual(["__proto__", "constructor"]);
    expect(stateOf(read([unknown]).entries("value"))).toEqual({ unknown: "value" });
    expect(stateOf(read("a").entries("value"))).toBe("malformed: a string");
    expect(stateOf(read({ a: "b" }).entries("value.a.c"))).toBe("malformed: nothing, for value.a is a string");
  });

  test("JSON within a text", () => {
    expect(read('{"a":{"b":3}}').json("value").value?.integer("a.b").value).toBe(3);
    expect(read('{"a":3}').json("value").value?.integer("a").path).toBe("value.a");
    expect(stateOf(read("{").json("value"))).toBe("malformed: a string");
    expect(stateOf(read({}).json("value"))).toBe("malformed: an object");
    expect(stateOf(read(unknown).json("value"))).toEqual({ unknown: "value" });
  });
});

describe("answers", () => {
  const reader = new Reader({ one: 1, two: 2, text: "x", later: unknown });
  const [one, two, text, later, none] = ["one", "two", "text", "later", "none"].map((path) => reader.integer(path)) as [
    Reading<number>,
    Reading<number>,
    Reading<number>,
    Reading<number>,
    Reading<number>,
  ];
  const waits = new Undetermined(["later"]);

  test("what is absent or malformed meets no condition, what is unknown leaves it open", () => {
    expect([one, text, none, later].map((reading) => reading.is(() => true))).toEqual([true, false, false, waits]);
    expect([one, text, none, later].map((reading) => reading.isAbsent)).toEqual([false, false, true, waits]);
    expect([one, text, none, later].map((reading) => reading.isMalformed)).toEqual([false, true, false, waits]);
    expect(one.is(() => waits)).toBe(waits);
    expect([one, text, none, later].map(({ isUnknown }) => isUnknown)).toEqual([false, false, false, true]);
  });

  test("two values compare once both are known", () => {
    const less = (a: number, b: number) => a < b;
    expect(compare(one, two, less)).toBe(true);
    expect(compare(two, one, less)).toBe(false);
    expect(compare(one, later, less)).toEqual(waits);
    expect(compare(later, later, less)).toEqual(waits);
    expect(compare(later, none, less)).toBe(false);
    expect(compare(text, later, less)).toBe(false);
  });

  test("a default stands for what is absent only", () => {
    expect(none.or(7)).toMatchObject({ value: 7, shown: "7" });
    expect(one.or(7).value).toBe(1);
    expect(text.or(7).isMalformed).toBe(true);
    expect(all(later.or(7).is(() => true))).toEqual(waits);
  });

  test("a value made from another keeps what is not known about it", () => {
    const double = (reading: Reading<number>) => reading.map((value) => value * 2, String);
    expect(double(two)).toMatchObject({ value: 4, shown: "4", path: "two" });
    expect(double(later).isAbsent).toEqual(waits);
    expect(double(text).isMalformed).toBe(true);
    expect(one.map(() => undefined, String).isAbsent).toBe(true);
  });
});

test("reading goes past the proxy of the policy SDK, which throws on unknown values", () => {
  const seen = unknownCheckingProxy({ scaling: { min: unknown, max: 2 }, list: [unknown, { a: unknown }] });
  expect(() => (seen["scaling"] as { min: unknown }).min).toThrow("can't be known during preview");
  const reader = new Reader(seen);
  expect(stateOf(reader.integer("scaling.min"))).toEqual({ unknown: "scaling.min" });
  expect(stateOf(reader.integer("scaling.max"))).toBe(2);
  expect(stateOf((reader.list("list").value?.[0] as Reader).text())).toEqual({ unknown: "list[0]" });
  expect(stateOf((reader.list("list").value?.[1] as Reader).text("a"))).toEqual({ unknown: "list[1].a" });
});

test("a getter is not called", () => {
  const trap = {
    get size(): number {
      throw new Error("called");
    },
  };
  expect(stateOf(new Reader(trap).integer("size"))).toBe("absent");
});

test.for([
  [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
  [{ a: { b: 1 } }, { a: null }, { a: null }],
  [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
  [{ a: 1 }, undefined, { a: 1 }],
  [{ a: 1 }, null, { a: 1 }],
  [undefined, { a: 1 }, { a: 1 }],
] as const)("%j under %j", ([under, over, expected]) => {
  const reader = new Reader(over, "values").over(new Reader(under, "file"));
  expect(reader.entries("a").isAbsent).toBe(new Reader(expected, "values").entries("a").isAbsent);
  for (const path of ["a", "a.b", "a.c"]) {
    expect(reader.integer(path)).toEqual(new Reader(expected, "values").integer(path));
  }
});

test("over an unknown value, only the keys that are given are known", () => {
  const over = new Reader({ a: { b: 1 }, e: [2] }, "values");
  for (const under of [unknown, { a: unknown }, { a: { c: unknown } }]) {
    const reader = new Reader({ d: 4 }, "more").over(over.over(new Reader(under, "file")));
    const [b, c, e] = ["a.b", "a.c", "e"].map((path) => stateOf(reader.integer(path)));
    expect([b, c, e]).toEqual([1, { unknown: "more.a.c" }, "malformed: a list"]);
  }
  const open = over.over(new Reader(unknown, "file"));
  expect([stateOf(open.text("x")), stateOf(open.entries("a"))]).toEqual([
    { unknown: "values.x" },
    { unknown: "values.a" },
  ]);
});
