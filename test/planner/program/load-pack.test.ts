import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { InputError } from "../../../components/core/problems";
import { loadPack } from "../../../planner/program/load-pack";
import { packs } from "../../../policies/packs";
import { folder } from "../../support/files";

const acme = `
  import { failIf, lab, pack, resourceRule, serve } from "eks-gpu-lab/policies";
  const tagged = resourceRule({
    id: "tagged", title: "Buckets have tags.", severity: "low", incident: "a bucket had no owner",
    types: ["aws:s3/bucket:Bucket"],
    *judge(bucket) {
      const tags = bucket.text("tags.owner");
      yield failIf(tags.isAbsent, () => ({ path: tags.path, got: tags.shown, why: "It has no owner.", fix: "set it" }));
    },
  });
  const rules = [{ rule: tagged, level: "mandatory" }] as const;
  serve(pack({ name: "acme", version: "1.2.3", description: "Ours.", extends: lab, without: ["gpu-single-az"], rules }));`;

/** A folder with the built package among its packages. */
function packFolder(files: Record<string, string>): string {
  const dir = folder({ "node_modules/.keep": "", ...files });
  symlinkSync(process.cwd(), join(dir, "node_modules/eks-gpu-lab"));
  return dir;
}

const bucket = (properties: Record<string, unknown>) => ({
  urn: "urn:pulumi:dev::p::aws:s3/bucket:Bucket::b",
  type: "aws:s3/bucket:Bucket",
  name: "b",
  properties,
});

test.for([
  ["a module", "rules.ts", { "rules.ts": acme }],
  ["a folder with index.ts", ".", { "index.ts": acme }],
  ["a module whose default export is a function", "rules.ts", { "rules.ts": `${acme} export default () => lab;` }],
  ["a module that exports a function", "rules.ts", { "rules.ts": `${acme} export = () => process.exit(1);` }],
  ["the main of package.json", "./pack", { "pack/package.json": '{"main":"src/a.ts"}', "pack/src/a.ts": acme }],
  ["PulumiPolicy.yaml", "pack", { "pack/PulumiPolicy.yaml": "runtime: nodejs\nmain: src", "pack/src/index.ts": acme }],
] as const)("%s is a pack, and starts no server", async ([, path, files]) => {
  const { judge, titles, ...about } = await loadPack(path, packFolder(files));
  expect(about).toEqual({ name: "acme", version: "1.2.3", rules: packs.lab.rules.length });
  expect(titles).toHaveProperty("tagged", "Buckets have tags.");
  expect(judge([bucket({})], {})).toEqual([
    expect.objectContaining({ pack: "acme", rule: "tagged", level: "mandatory", verdict: "fail", name: "b" }),
  ]);
  expect(judge([bucket({ tags: { owner: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" } })], {})).toEqual([
    expect.objectContaining({ rule: "tagged", verdict: "unknown" }),
  ]);
  expect(judge([bucket({ tags: { owner: "me" } })], {})).toEqual([]);
});

test("a pack of this package is one, too", async () => {
  expect(await loadPack("policies/packs/shared", process.cwd())).toMatchObject({ name: "eks-gpu-lab-shared" });
});

test.for([
  ["nothing there", "gone", {}, /--pack: got ".*gone". Does not exist\./],
  ["no module", "./Pulumi.yaml", { "Pulumi.yaml": "name: p" }, /--pack: got "\.\/Pulumi\.yaml"\. Is not a module\./],
  [
    "a pack in Python",
    "py",
    { "py/PulumiPolicy.yaml": "runtime: python", "py/__main__.py": "" },
    /^1 problem with PulumiPolicy\.yaml:[^]*runtime: got "python".*only Node\.js packs/,
  ],
  [
    "a pack in another runtime with options",
    "py",
    { "py/PulumiPolicy.yaml": "runtime: { name: opa }", "py/index.ts": acme },
    /runtime: got "opa"/,
  ],
  [
    "a pack that prints before the port",
    "a.ts",
    { "a.ts": `process.stdout.write("loading\\n"); ${acme}` },
    /a\.ts: got "loading\\n"\. .*cannot start it\.\n.*console\.error/,
  ],
  [
    "a module that prints and is no pack",
    "a.ts",
    { "a.ts": 'process.stdout.write("loading");' },
    /2 problems[^]*got "loading"[^]*got "0 calls of serve/,
  ],
  [
    "a pack that serves something else",
    "a.ts",
    { "a.ts": 'import { serve } from "eks-gpu-lab/policies"; serve(undefined as never);' },
    /^1 problem with serve\(\):/,
  ],
  ["a folder without a module", ".", { "a.ts": "" }, /The folder has no module/],
  ["no pack", "a.ts", { "a.ts": "export const a = 1;" }, /a\.ts: got "0 calls of serve\(\)".*\n.*end the module/],
  [
    "two packs",
    "a.ts",
    { "a.ts": 'import { audit, lab, serve } from "eks-gpu-lab/policies"; serve(lab); serve(audit);' },
    /got "2 calls of serve\(\)".*\n.*combine packs with pack/,
  ],
  [
    "a pack of the SDK",
    "a.ts",
    { "a.ts": 'import { PolicyPack } from "@pulumi/policy"; new PolicyPack("p", { policies: [] });' },
    /a\.ts: got "@pulumi\/policy".*runs only packs that use pack\(\) and serve\(\)/,
  ],
  ["a syntax error", "a.ts", { "a.ts": "const = 1;" }, /^1 problem with policy pack a\.ts:[^]*a\.ts:1:7/],
  [
    "a mistake in the pack",
    "a.ts",
    {
      "a.ts":
        'import { lab, pack } from "eks-gpu-lab/policies"; pack({ name: "x", extends: lab, without: ["gpu-one-az"] });',
    },
    /3 problems with policy pack x:[^]*version[^]*description[^]*without\[0\]/,
  ],
] as const)("%s", async ([, path, files, message]) => {
  const error = await loadPack(path, packFolder(files)).catch((thrown: unknown) => thrown);
  expect(InputError.is(error), String(error)).toBe(true);
  expect((error as Error).message).toMatch(message);
});

test("a pack that prints is not silenced, and the standard output is as before", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const dir = packFolder({ "a.ts": `process.stdout.write("loading"); throw new Error("boom");` });
  await expect(loadPack("a.ts", dir)).rejects.toThrow("boom");
  expect(write.mock.calls).toEqual([["loading"]]);
  process.stdout.write("later");
  expect(write.mock.calls).toHaveLength(2);
});
