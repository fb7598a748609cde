import { readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { findProject } from "../../../planner/program/project";
import { copyProject, writeStackFile } from "../../../simulation/pulumi/project-copy";
import { folder } from "../../support/files";

const projectFile = `name: lab
runtime: nodejs
main: program
stackConfigDir: program
backend:
  url: s3://the-users-own
config:
  size: { type: integer, default: 2 }
`;

function copied() {
  const user = folder({
    "Pulumi.yaml": projectFile,
    "program/index.js": "",
    "program/Pulumi.dev.yaml": "config: {}\n",
    "package.json": "{}",
  });
  const dir = join(folder({}), "copy");
  return { user, copy: copyProject(findProject(user), dir) };
}

const yaml = (file: string) => load(readFileSync(file, "utf8"));

test("the copy links the files of the project", () => {
  const { user, copy } = copied();
  expect(realpathSync(join(copy.dir, "program/index.js"))).toBe(join(realpathSync(user), "program/index.js"));
  expect(realpathSync(join(copy.dir, "package.json"))).toBe(join(realpathSync(user), "package.json"));
});

test("the copy links the modules with the Pulumi SDK, also those of a workspace", () => {
  const sdk = "node_modules/@pulumi/pulumi/package.json";
  const lab = { "lab/Pulumi.yaml": projectFile, "lab/program/index.js": "", "lab/node_modules/own/package.json": "" };
  const workspace = folder({ [sdk]: "", ...lab });
  const { dir } = copyProject(findProject(join(workspace, "lab")), join(folder({}), "copy"));
  expect(realpathSync(join(dir, sdk))).toBe(join(realpathSync(workspace), sdk));
});

test("the copy has no backend and its own stack files; the rest of Pulumi.yaml stays", () => {
  const { user, copy } = copied();
  expect(yaml(join(copy.dir, "Pulumi.yaml"))).toEqual({
    name: "lab",
    runtime: "nodejs",
    main: "program",
    stackConfigDir: ".simulated-stacks",
    config: { size: { type: "integer", default: 2 } },
  });
  writeStackFile(copy.stackFile("dev"), { "lab:size": "3" });
  expect(readFileSync(join(user, "program/Pulumi.dev.yaml"), "utf8")).toBe("config: {}\n");
  expect(copy.stackFile("dev")).toBe(join(copy.dir, ".simulated-stacks/Pulumi.dev.yaml"));
});

test("a stack file contains objects, lists and strings, and keeps its encryption settings", () => {
  const file = join(
    folder({ "Pulumi.dev.yaml": "encryptionsalt: v1:abc\nconfig:\n  lab:old: 1\n" }),
    "Pulumi.dev.yaml",
  );
  const values = {
    "lab:version": "1.30",
    "lab:list": '["a"]',
    "lab:object": '{"a":1}',
    "lab:broken": "{a",
    "lab:flag": "true",
  };
  writeStackFile(file, values);
  expect(yaml(file)).toEqual({
    encryptionsalt: "v1:abc",
    config: {
      "lab:version": "1.30",
      "lab:list": ["a"],
      "lab:object": { a: 1 },
      "lab:broken": "{a",
      "lab:flag": "true",
    },
  });
});

test("the copy omits broken links and .git", () => {
  const user = folder({ "Pulumi.yaml": projectFile, "program/index.js": "", ".git/HEAD": "" });
  symlinkSync(join(user, "nowhere"), join(user, "broken"));
  const dir = join(folder({}), "copy");
  copyProject(findProject(user), dir);
  expect(readdirSync(dir).sort()).toEqual([".simulated-stacks", "Pulumi.yaml", "program"]);
});
