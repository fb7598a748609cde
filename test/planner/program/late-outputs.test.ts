import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { buildSync } from "esbuild";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { makeOutputsOnFirstUse, type Rpc } from "../../../planner/program/sdk-changes";
import { byName, plan } from "../../support/plan";

test("only the outputs that the program reads are made, and each once", () => {
  const made: string[] = [];
  const resolved: unknown[] = [];
  const rpc: Rpc = {
    transferProperties: (resource, _, properties) => {
      const [key = ""] = Object.keys(properties);
      made.push(key);
      Object.assign(resource, { [key]: { of: properties[key] } });
      return { [key]: (...result) => void resolved.push([key, ...result]) };
    },
  };
  makeOutputsOnFirstUse(rpc);
  makeOutputsOnFirstUse(rpc);
  const resource: Record<string, unknown> = {};
  const resolvers = rpc.transferProperties(resource, "label", { early: 1, late: 2, never: 3 });
  expect(Object.keys(resource)).toEqual(["early", "late", "never"]);
  expect(resource["early"]).toEqual({ of: 1 });
  for (const [key, resolve] of Object.entries(resolvers)) resolve(`${key} value`, true);
  expect(resource["late"]).toEqual({ of: 2 });
  expect(resource["late"]).toBe(resource["late"]);
  expect(made).toEqual(["early", "late"]);
  expect(resolved).toEqual([
    ["early", "early value", true],
    ["late", "late value", true],
  ]);
});

test("an output has the same value before and after its resource is registered", async () => {
  const recording = await plan(async () => {
    const bucket = new aws.s3.Bucket("bucket", { acl: "private", tags: { a: pulumi.secret("b") } });
    const before = bucket.acl;
    await new Promise((resolve) => setImmediate(resolve));
    return { before, after: bucket.acl, tags: bucket.tags, unknown: bucket.arn };
  });
  expect(recording.outputs).toEqual({
    ...{ before: "private", after: "private", tags: { a: "b" }, unknown: unknownSentinel },
  });
  expect(recording.secretOutputs).toEqual(["tags"]);
});

test("a class may replace an output of its base class", async () => {
  class Named extends aws.s3.Bucket {
    constructor(name: string) {
      super(name, { acl: "private" });
      Object.assign(this, { acl: pulumi.output("other") });
    }
  }
  const recording = await plan(() => ({ acl: new Named("bucket").acl }));
  expect(recording.outputs).toEqual({ acl: "other" });
});

test("what reads an output depends on its resource", async () => {
  const recording = await plan(async () => {
    const first = new aws.s3.Bucket("first");
    await new Promise((resolve) => setImmediate(resolve));
    new aws.s3.Bucket("second", { bucket: first.arn });
  });
  const { propertyDependencies } = byName(recording, "second");
  expect(propertyDependencies).toEqual({ bucket: [byName(recording, "first").urn] });
});

type Copy = { exports: { makeOutputsOnFirstUse: typeof makeOutputsOnFirstUse } };
type Load = (module: Copy, require: NodeJS.Require) => void;

/** The function of a bundle that has a copy of the module, such as dist/cli.js. */
function copyOfModule(): typeof makeOutputsOnFirstUse {
  const entryPoints = ["planner/program/sdk-changes.ts"];
  const { outputFiles } = buildSync({ entryPoints, bundle: true, write: false, format: "cjs", platform: "node" });
  const copy = { exports: {} } as Copy;
  const load = runInThisContext(`(module, require) => { ${outputFiles[0]?.text ?? ""} }`) as Load;
  load(copy, createRequire(__filename));
  return copy.exports.makeOutputsOnFirstUse;
}

test("copies of the module in one process do not lose outputs, in any order", () => {
  const copies = [makeOutputsOnFirstUse, copyOfModule(), copyOfModule()];
  const keys = ["a", "b", "c"];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...copies), { minLength: 1, maxLength: 6 }),
      fc.shuffledSubarray(keys, { minLength: keys.length }),
      fc.nat(keys.length),
      (order, reads, early) => {
        const rpc: Rpc = {
          transferProperties: (resource, _, properties) =>
            Object.fromEntries(
              Object.keys(properties).map((key) => {
                const output = { key, value: undefined as unknown };
                Object.assign(resource, { [key]: output });
                return [key, (value: unknown) => (output.value = value)];
              }),
            ),
        };
        for (const makeLate of order) makeLate(rpc);
        const resource: Record<string, unknown> = {};
        const resolvers = rpc.transferProperties(resource, "label", { a: 1, b: 2, c: 3 });
        for (const key of reads.slice(0, early)) expect(resource[key]).toEqual({ key, value: undefined });
        for (const [key, resolve] of Object.entries(resolvers)) resolve(`${key} value`);
        for (const key of reads) expect(resource[key]).toEqual({ key, value: `${key} value` });
      },
    ),
  );
});
