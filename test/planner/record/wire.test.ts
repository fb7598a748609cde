import { expect, test } from "vitest";
import { unknownSentinel, unwrap } from "../../../planner/record/wire";

const sig = "4dabf18193072939515e22adb298388d";
const secret = (value: unknown) => ({ [sig]: "1b47061264138c4ac30d75fd1eb44270", value });
const output = (rest: object) => ({ [sig]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", ...rest });

test("secrets are taken out of their wrappers, and their places kept", () => {
  expect(unwrap({ a: secret("x"), b: { c: [1, secret({ d: secret("y") })] } })).toEqual({
    properties: { a: "x", b: { c: [1, { d: "y" }] } },
    secretPaths: ["a", "b.c[1]", "b.c[1].d"],
  });
});

test("output values: known, unknown and secret", () => {
  expect(unwrap({ a: output({ value: 1 }), b: output({}), c: output({ value: "s", secret: true }) })).toEqual({
    properties: { a: 1, b: unknownSentinel, c: "s" },
    secretPaths: ["c"],
  });
});

test("a reference to a resource becomes its URN, and everything else stays", () => {
  const reference = { [sig]: "5cf8f73096256a8f31e491e813e4eb8e", urn: "urn:x", id: "i" };
  const asset = { [sig]: "c44067f5952c0a294b673a41bacd8c17", text: "t" };
  expect(unwrap({ reference, asset, none: null, flag: false }).properties).toEqual({
    reference: "urn:x",
    asset,
    none: null,
    flag: false,
  });
});
