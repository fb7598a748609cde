import { chmodSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { findPulumi } from "../../../simulation/pulumi/find-pulumi";
import { folder } from "../../support/files";

const fix = "install the Pulumi CLI: https://www.pulumi.com/docs/install/";
const printing = (text: string) => `#!/bin/sh\necho '${text}'\n`;

function programs(files: Record<string, string>): string {
  const dir = folder(files);
  for (const file of Object.keys(files)) chmodSync(join(dir, file), 0o755);
  return dir;
}

test("the CLI with its language host beside it, and its version", () => {
  const dir = programs({ pulumi: printing("v3.260.0"), "pulumi-language-nodejs": printing("") });
  expect(findPulumi({ PATH: ["/nowhere", dir].join(delimiter) })).toEqual({
    cli: { command: join(dir, "pulumi"), version: "v3.260.0" },
  });
});

test("a link on the PATH: the language host lies where it leads", () => {
  const installed = programs({ pulumi: printing("v3.260.0"), "pulumi-language-nodejs": printing("") });
  const bin = folder({});
  symlinkSync(join(installed, "pulumi"), join(bin, "pulumi"));
  expect(findPulumi({ PATH: bin }).cli?.command).toBe(join(bin, "pulumi"));
});

test("the language host elsewhere on the PATH", () => {
  const cli = programs({ pulumi: printing("v3.260.0") });
  const host = programs({ "pulumi-language-nodejs": printing("") });
  expect(findPulumi({ PATH: [cli, host].join(delimiter) }).cli).toBeDefined();
});

test.each([
  ["no PATH", {}],
  ["an empty PATH", { PATH: "" }],
])("%s: there is no CLI", (_, env) => {
  expect(findPulumi(env)).toEqual({ cli: undefined, why: "There is no pulumi on the PATH", fix });
});

test("a folder and a file that cannot be run are no CLI", () => {
  const first = folder({ "pulumi/file": "" });
  const second = folder({ pulumi: "" });
  expect(findPulumi({ PATH: [first, second].join(delimiter) }).cli).toBeUndefined();
});

test("without the language host the CLI cannot run Node.js programs", () => {
  const dir = programs({ pulumi: printing("v3.260.0") });
  const why = `There is no pulumi-language-nodejs on the PATH or beside ${join(dir, "pulumi")}`;
  expect(findPulumi({ PATH: dir })).toEqual({ cli: undefined, why, fix });
});

test("a CLI that does not run", () => {
  const dir = programs({ pulumi: "#!/bin/sh\necho 'wrong machine' >&2\nexit 1\n", "pulumi-language-nodejs": "" });
  const why = `${join(dir, "pulumi")} does not run: wrong machine`;
  expect(findPulumi({ PATH: dir })).toEqual({ cli: undefined, why, fix });
});
