import { describe, expect, test } from "vitest";
import { failIf, InputError, judge, resourceRule, serve, stackRule } from "../../../policies";
import { resource } from "../support/verdicts";

const type = "shop:index:Chair";
const chair = resource(type, {}, { name: "chair" });
const about = { id: "boom", title: "It holds.", severity: "low", incident: "it fell", types: [type] } as const;
const fault = { path: "legs", got: "3", why: "It falls over.", fix: "add one" };

const kinds = [
  ["resource", resourceRule, "chair"],
  ["stack", stackRule, "the stack"],
] as const;
type Make = (typeof kinds)[number][1];

/** Judges a chair by code that the compiler would reject. */
function judgeBy(code: () => unknown, make: Make) {
  const rule = make({ ...about, judge: code as () => [] });
  const pack = { name: "shop", version: "1.0.0", description: "", rules: [{ rule, level: "mandatory" as const }] };
  return judge(pack, [chair]);
}

function errorOf(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return error;
  }
}

describe("a rule", () => {
  test.for(kinds)("that throws is named with its subject and the place in its code: a %s rule", ([, make, subject]) => {
    const cause = new TypeError("no leg");
    const fail = () => {
      throw cause;
    };
    for (const code of [fail, () => [failIf(true, fail)]]) {
      const error = errorOf(() => judgeBy(code, make));
      expect(error).toMatchObject({ message: `rule boom failed on ${subject}: no leg`, cause });
      expect((error as Error).stack).toMatch(/^rule boom failed on .*: no leg\n +at .*faulty-pack\.test\.ts/);
    }
  });

  test.for(kinds)("that yields anything but checks is wrong: a %s rule", ([, make]) => {
    const checks = [failIf(false, () => fault), {}];
    for (const wrong of [undefined, true, "x", [undefined], checks, Promise.resolve([])]) {
      const error = errorOf(() => judgeBy(() => wrong, make));
      expect(error).toMatchObject({ subject: "rule boom", problems: [{ code: "wrong-type", path: "judge" }] });
    }
    expect(judgeBy(() => [], make)).toEqual([]);
  });

  test("the wording", () => {
    expect(() => judgeBy(() => undefined, resourceRule)).toThrowErrorMatchingInlineSnapshot(`
      [Error: 1 problem with rule boom:
        judge: Must yield checks.
          fix: make judge a generator, and yield failIf() or adviseIf() for each check]
    `);
  });
});

test.for([undefined, null, "lab", {}, { name: "shop" }, { name: "shop", rules: [{}] }, () => []])(
  "serve() refuses %j",
  (pack) => {
    const error = errorOf(() => serve(pack as never));
    expect(InputError.is(error)).toBe(true);
    expect(error).toMatchObject({ subject: "serve()", problems: [{ code: "wrong-type", path: "pack", got: pack }] });
  },
);
