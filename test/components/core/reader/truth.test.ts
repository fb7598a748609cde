import * as proxy from "@pulumi/policy/proxy";
import { unknownValue } from "@pulumi/pulumi/runtime/rpc";
import { describe, expect, test } from "vitest";
import { unknownSentinel } from "../../../../components/core/wire";
import {
  all,
  any,
  isUnknown,
  not,
  openPaths,
  some,
  Undetermined,
  unknownSentinels,
  type Truth,
} from "../../../../components/core/reader/truth";

test("the sentinels are those of the engine, the SDK, the policy SDK and the offline plan", () => {
  const ofPolicySdk = Object.entries(proxy).filter(([name]) => /^unknown\w+Value$/.test(name));
  expect(ofPolicySdk).toHaveLength(7);
  expect(new Set(Object.values(unknownSentinels))).toEqual(new Set(ofPolicySdk.map(([, value]) => value)));
  expect(unknownSentinels.text).toBe(unknownValue);
  expect(unknownSentinels.text).toBe(unknownSentinel);
});

test("nothing else is unknown", () => {
  for (const value of Object.values(unknownSentinels)) expect(isUnknown(value)).toBe(true);
  for (const value of [undefined, null, "", `${unknownSentinels.text}-`, 0, {}, [unknownSentinels.text]]) {
    expect(isUnknown(value)).toBe(false);
  }
});

describe("conditions", () => {
  const a = new Undetermined(["a"]);
  const b = new Undetermined(["b", "a"]);
  test.for<[string, Truth, Truth]>([
    ["all of nothing", all(), true],
    ["all true", all(true, true), true],
    ["one false settles it", all(true, a, false), false],
    ["else it is open", all(true, a, b), new Undetermined(["a", "b"])],
    ["any of nothing", any(), false],
    ["none true", any(false, false), false],
    ["one true settles it", any(false, a, true), true],
    ["else it is open", any(false, a, b), new Undetermined(["a", "b"])],
    ["not true", not(true), false],
    ["not false", not(false), true],
    ["not open stays open", not(a), a],
  ])("%s", ([, got, expected]) => {
    expect(got).toEqual(expected);
  });
});

describe("some of a list", () => {
  const a = new Undetermined(["a"]);
  const b = new Undetermined(["b"]);
  test.for<[string, readonly Truth[], Truth]>([
    ["of nothing", [], false],
    ["none", [false, false], false],
    ["one", [false, true], true],
    ["one settles it, whatever came before", [a, true], true],
    ["else it is open", [a, false, b], new Undetermined(["a", "b"])],
  ])("%s", ([, answers, expected]) => {
    expect(some(answers, (answer) => answer)).toEqual(expected);
  });

  test("the answers after the one that settles it are not asked for", () => {
    const asked: number[] = [];
    some([1, 2, 3], (item) => asked.push(item) === 2);
    expect(asked).toEqual([1, 2]);
  });

  test("of many open answers it names twenty", () => {
    const open = some([...Array(500_000).keys()], (item) => new Undetermined([String(item)]));
    expect(openPaths(open)).toHaveLength(20);
  });
});

test("a settled answer waits for nothing", () => {
  expect(openPaths(new Undetermined(["a", "b"]))).toEqual(["a", "b"]);
  expect([openPaths(true), openPaths(false)]).toEqual([[], []]);
});
