import { expect, test } from "vitest";
import { masked, seconds, secretMark } from "../../../planner/facts/preview-state";
import { unwrap } from "../../../components/core/wire";

const signature = "4dabf18193072939515e22adb298388d";
const secret = (value: unknown) => ({ [signature]: "1b47061264138c4ac30d75fd1eb44270", value });
const secretOutput = (value: unknown) => ({ [signature]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", value, secret: true });

test("every secret is masked, however deep, and nothing else", () => {
  const { properties, secretPaths } = unwrap({
    password: secret("hunter2"),
    whole: secret({ user: "hunter2", list: ["hunter2"] }),
    data: { "my.key": secretOutput("hunter2"), plain: "seen", none: null },
    env: [
      { name: "A", value: "seen" },
      { name: "B", value: secret("hunter2") },
    ],
  });
  const shown = masked({ inputs: properties, secretPaths });
  expect(shown).toEqual({
    password: secretMark,
    whole: secretMark,
    data: { "my.key": secretMark, plain: "seen", none: null },
    env: [
      { name: "A", value: "seen" },
      { name: "B", value: secretMark },
    ],
  });
  expect(JSON.stringify(shown)).not.toContain("hunter2");
});

test("where a dotted key makes two paths read the same, both are masked", () => {
  const shown = masked({ inputs: { "a.b": "hunter2", a: { b: "seen" } }, secretPaths: ["a.b"] });
  expect(shown).toEqual({ "a.b": secretMark, a: { b: secretMark } });
});

test("inputs without secrets stay as they are", () => {
  const inputs = { size: 3 };
  expect(masked({ inputs, secretPaths: [] })).toBe(inputs);
});

test.for([
  ["15m", 900],
  ["1h0m30s", 3630],
  ["1.5h", 5400],
  ["250ms", 0.25],
  ["nonsense", 0],
] as const)("duration %s", ([text, expected]) => expect(seconds(text)).toBe(expected));
