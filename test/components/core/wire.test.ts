import { expect, test } from "vitest";
import {
  dependenciesIn,
  hasUnknown,
  resourceReference,
  secretValue,
  unknownSentinel,
  unwrap,
  withSecretsOf,
} from "../../../components/core/wire";

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

test("dependencies of output values are found wherever they are, each once", () => {
  const wire = {
    a: [output({ dependencies: ["x", "y"] }), output({ value: { b: output({ dependencies: ["y", "z"] }) } })],
  };
  expect(dependenciesIn(wire)).toEqual(["x", "y", "z"]);
  expect(dependenciesIn({ dependencies: ["no output value"] })).toEqual([]);
});

test.for([
  ["the sentinel", unknownSentinel, true],
  ["inside a list", { a: [1, { b: unknownSentinel }] }, true],
  ["nowhere", { a: [1, null, { b: "x" }] }, false],
] as const)("an unknown value: %s", ([, value, unknown]) => expect(hasUnknown(value)).toBe(unknown));

test("properties become secret where others are", () => {
  const wire = {
    a: secret("old"),
    b: { c: [1, secret(2)], d: 3 },
    e: output({ value: "x", secret: true }),
    f: output({ value: "x" }),
    g: secret("gone"),
    h: [secret(1)],
  };
  const plain = { a: { new: 1 }, b: { c: [1, 2, 3], d: 3 }, e: "x", f: "x", g: undefined, h: "no list" };
  expect(withSecretsOf(plain, wire)).toEqual({
    a: secretValue({ new: 1 }),
    b: { c: [1, secretValue(2), 3], d: 3 },
    e: secretValue("x"),
    f: "x",
    g: undefined,
    h: "no list",
  });
  expect(withSecretsOf({ a: secretValue("x") }, wire)).toEqual({ a: secret("x") });
});

test("a reference is read back as the URN it names", () => {
  expect(resourceReference("urn:x", "1.2.3")).toEqual({ ...resourceReference("urn:x", "1.2.3"), urn: "urn:x" });
  expect(resourceReference("urn:x", "1.2.3")).not.toHaveProperty("id");
  expect(unwrap({ role: resourceReference("urn:x", "1.2.3", "") }).properties).toEqual({ role: "urn:x" });
});
