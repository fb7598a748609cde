import { chmodSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as semver from "semver";
import { expect, test } from "vitest";
import { oldestPulumiCli } from "../../../components/core/versions";
import { peerDependencies } from "../../../package.json";
import { findPulumi } from "../../../simulation/pulumi/find-pulumi";
import { folder } from "../../support/files";

const fix = "install the Pulumi CLI: https://www.pulumi.com/docs/install/";
const printing = (text: string) => `#!/bin/sh\necho '${text}'\n`;

function programs(files: Record<string, string>): string {
  const dir = folder(files);
  for (const file of Object.keys(files)) chmodSync(join(dir, file), 0o755);
  return dir;
}

test("finds the CLI, its language host in the same folder, and its version", () => {
  const dir = programs({ pulumi: printing("v3.260.0"), "pulumi-language-nodejs": printing("") });
  expect(findPulumi({ PATH: ["/nowhere", dir].join(delimiter) })).toEqual({
    cli: { command: join(dir, "pulumi"), version: "v3.260.0" },
  });
});

test("follows a link on the PATH to the language host", () => {
  const installed = programs({ pulumi: printing("v3.260.0"), "pulumi-language-nodejs": printing("") });
  const bin = folder({});
  symlinkSync(join(installed, "pulumi"), join(bin, "pulumi"));
  expect(findPulumi({ PATH: bin }).cli?.command).toBe(join(bin, "pulumi"));
});

test("finds the language host elsewhere on the PATH", () => {
  const cli = programs({ pulumi: printing("v3.260.0") });
  const host = programs({ "pulumi-language-nodejs": printing("") });
  expect(findPulumi({ PATH: [cli, host].join(delimiter) }).cli).toBeDefined();
});

test.each([
  ["no PATH", {}],
  ["an empty PATH", { PATH: "" }],
])("reports a missing CLI: %s", (_, env) => {
  expect(findPulumi(env)).toEqual({ cli: undefined, why: "The Pulumi CLI is not installed, or not on your PATH", fix });
});

test("ignores folders and files that are not executable", () => {
  const first = folder({ "pulumi/file": "" });
  const second = folder({ pulumi: "" });
  expect(findPulumi({ PATH: [first, second].join(delimiter) }).cli).toBeUndefined();
});

test("reports a missing language host", () => {
  const dir = programs({ pulumi: printing("v3.260.0") });
  const why = `pulumi-language-nodejs is neither on the PATH nor in the folder of ${join(dir, "pulumi")}`;
  expect(findPulumi({ PATH: dir })).toEqual({ cli: undefined, why, fix });
});

test("reports a CLI that does not run", () => {
  const dir = programs({ pulumi: "#!/bin/sh\necho 'wrong machine' >&2\nexit 1\n", "pulumi-language-nodejs": "" });
  const why = `${join(dir, "pulumi")} does not run: wrong machine`;
  expect(findPulumi({ PATH: dir })).toEqual({ cli: undefined, why, fix });
});

test.for([
  ["v3.247.9", true],
  ["v3.99.0", true],
  ["v2.30.0", true],
  ["v3.248.0", false],
  ["v3.248.0-dev.0", false],
  ["v4.0.0", false],
  ["", false],
  ["main", false],
] as const)("version %j is too old: %s", ([version, isOld]) => {
  const dir = programs({ pulumi: printing(version), "pulumi-language-nodejs": printing("") });
  const why = `${join(dir, "pulumi")} is ${version}; version ${oldestPulumiCli} or newer is required`;
  const update = fix.replace("install", "update");
  const found = { cli: { command: join(dir, "pulumi"), version } };
  expect(findPulumi({ PATH: dir })).toEqual(isOld ? { cli: undefined, why, fix: update } : found);
});

test("the oldest CLI is that of the oldest SDK", () => {
  expect(semver.minVersion(peerDependencies["@pulumi/pulumi"])?.version).toBe(oldestPulumiCli);
});
