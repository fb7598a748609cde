import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../components/core/problems";
import { findProject, readStackFile, stacksOf } from "../../../planner/program/project";
import { folder } from "../../support/files";

function inputError(body: () => unknown): InputError {
  try {
    body();
  } catch (error) {
    if (InputError.is(error)) return error;
    throw error;
  }
  throw new Error("no error was thrown");
}

const yaml = "name: shop\nruntime: nodejs\n";

describe("findProject", () => {
  test.for([
    ["an index.ts next to Pulumi.yaml", yaml, { "index.ts": "" }, "index.ts"],
    ["the main of package.json", yaml, { "package.json": '{"main":"src/app.ts"}', "src/app.ts": "" }, "src/app.ts"],
    ["a main that is a file", `${yaml}main: infra/main.ts\n`, { "infra/main.ts": "" }, "infra/main.ts"],
    ["a main that is a folder", `${yaml}main: infra/\n`, { "infra/index.ts": "" }, "infra/index.ts"],
    [
      "a folder with a package.json of its own",
      `${yaml}main: infra\n`,
      { "infra/package.json": '{"main":"go.ts"}', "infra/go.ts": "", "infra/index.ts": "" },
      "infra/go.ts",
    ],
    [
      "a folder below a package whose main is a library",
      `${yaml}main: infra\n`,
      { "package.json": '{"main":"dist/index.js"}', "dist/index.js": "", "infra/index.ts": "" },
      "infra/index.ts",
    ],
    ["JavaScript", yaml, { "index.js": "" }, "index.js"],
  ] as const)("runs %s", ([, project, files, entry]) => {
    const dir = folder({ "Pulumi.yaml": project, ...files });
    expect(findProject(dir)).toMatchObject({ name: "shop", dir, entry: join(dir, entry), stackDir: dir });
  });

  test("is found from a folder inside it", () => {
    const dir = folder({ "Pulumi.yaml": yaml, "index.ts": "", "a/b/c.txt": "" });
    expect(findProject(join(dir, "a/b")).dir).toBe(dir);
  });

  test("reads the defaults that Pulumi.yaml declares, in the project's namespace unless they name another", () => {
    const config = "config:\n  size: {type: integer, default: 3}\n  must: {type: string}\n  aws:region: us-east-1\n";
    const dir = folder({ "Pulumi.yaml": yaml + config, "index.ts": "" });
    expect([...findProject(dir).defaults]).toEqual([
      ["shop:size", 3],
      ["shop:must", undefined],
      ["aws:region", "us-east-1"],
    ]);
  });

  test.for([
    ["no project", {}, "Pulumi.yaml"],
    ["another language", { "Pulumi.yaml": "name: x\nruntime: {name: python}\n" }, "runtime"],
    ["an unusable Pulumi.yaml", { "Pulumi.yaml": "- 1\n" }, "runtime"],
    ["no program", { "Pulumi.yaml": yaml }, "main"],
    ["broken YAML", { "Pulumi.yaml": "name: [" }, "Pulumi.yaml"],
  ] as const)("rejects %s", ([, files, path]) => {
    const dir = folder(files);
    const error = inputError(() => findProject(dir));
    expect(error.problems.map((problem) => basename(problem.path))).toEqual([path]);
    expect(error.message.replaceAll(dir, "DIR")).toMatchSnapshot();
  });

  test("ignores values of the wrong type", () => {
    const dir = folder({ "Pulumi.yaml": `${yaml}main: 3\nstackConfigDir: []\nconfig: 7\n`, "index.ts": "" });
    expect(findProject(dir)).toMatchObject({ dir, entry: join(dir, "index.ts"), stackDir: dir, defaults: new Map() });
  });
});

describe("readStackFile", () => {
  const project = (files: Record<string, string>) =>
    findProject(folder({ "Pulumi.yaml": yaml, "index.ts": "", ...files }));

  test("reads values, names encrypted ones and leaves ESC environments closed", () => {
    const file = readStackFile(
      project({
        "Pulumi.dev.yaml":
          "environment: [base]\nconfig:\n  size: 2\n  aws:region: eu-west-1\n  token: {secure: abc}\n  list: [1, a]\n",
      }),
      "dev",
    );
    expect(Object.fromEntries(file.values)).toEqual({
      "shop:size": 2,
      "aws:region": "eu-west-1",
      "shop:token": "[secret]",
      "shop:list": [1, "a"],
    });
    expect(file.secretKeys).toEqual(["shop:token"]);
    expect(file.environments).toEqual(["base"]);
  });

  const read = (text: string) => readStackFile(project({ "Pulumi.dev.yaml": text }), "dev");

  test.for([
    ["# nothing yet\n", false],
    ["environment: [base]\n", false],
    ["config:\n", true],
    ["config: {}\n", true],
  ] as const)("%j has a config block: %s", ([text, hasConfig]) => {
    const file = read(text);
    expect([file.values.size, file.note === undefined, file.file]).toEqual([0, hasConfig, "Pulumi.dev.yaml"]);
  });

  test("merge keys are merged, and own keys take precedence", () => {
    const { values } = read(`config:
  base: &base {min: 0, max: 2}
  other: &other {max: 5, disk: 100}
  one: {<<: *base, max: 3}
  two: {<<: [*base, *other]}
`);
    expect(values.get("shop:one")).toEqual({ min: 0, max: 3 });
    expect(values.get("shop:two")).toEqual({ min: 0, max: 2, disk: 100 });
  });

  test.for([
    ["2026-12-01", "2026-12-01 00:00:00 +0000 UTC"],
    ["2026-12-01T18:00:00Z", "2026-12-01 18:00:00 +0000 UTC"],
    ["2026-12-01T18:00:00.5+09:00", "2026-12-01 18:00:00.5 +0900 +0900"],
    ["'2026-12-01'", "2026-12-01"],
    ["2026-12", "2026-12"],
  ])("Pulumi passes the time %s as %s", ([text, expected]) => {
    expect(Object.fromEntries(read(`config:\n  end: ${text}\n  all: [${text}]\n`).values)).toEqual({
      "shop:end": expected,
      "shop:all": [expected],
    });
  });

  test("blocks with anchors for the configuration are accepted", () => {
    const { values } = read("x-size: &size {min: 0}\nconfig:\n  size: {<<: *size, max: 2}\n");
    expect(Object.fromEntries(values)).toEqual({ "shop:size": { min: 0, max: 2 } });
  });

  test("a secret is a mapping with the only key secure and a string, at any depth", () => {
    const { values, secretKeys } = read(`config:
  db: {user: app, password: {secure: abc}}
  tokens: [plain, {secure: def}]
  door: {secure: true}
  lock: {secure: abc, since: 2}
`);
    expect(Object.fromEntries(values)).toEqual({
      "shop:db": { user: "app", password: "[secret]" },
      "shop:tokens": ["plain", "[secret]"],
      "shop:door": { secure: true },
      "shop:lock": { secure: "abc", since: 2 },
    });
    expect(secretKeys).toEqual(["shop:db.password", "shop:tokens[1]"]);
  });

  test.for([
    ["config:\n  shop:nccl: !foo bar\n", "shop:nccl", 'shop:nccl: "!foo bar"'],
    ["config:\n  size: !!python/object:a.B {x: 1} # old\n", "size", 'size: "!!python/object:a.B {x: 1}"'],
    ["config:\n  group: {size: 2, name: !foo bar, max: 3}\n", "name", 'name: "!foo bar"'],
    ["config:\n  list:\n    - !Ref x\n", "line 3", '"!Ref x"'],
    ['config:\n  "quoted": !important\n', "quoted", 'quoted: "!important"'],
  ] as const)("the tag in %j", ([text, path, quoted]) => {
    const [problem] = inputError(() => read(text)).problems;
    expect(problem?.path).toBe(path);
    expect(problem?.fix).toContain(quoted);
    expect(`${problem?.why}`).toMatchSnapshot();
  });

  test.for([
    ["configs:\n  size: 2\n", ["configs"], "rename configs to config"],
    ["Config:\n  size: 2\n", ["Config"], "rename Config to config"],
    ["size: 2\n", ["size"], "move size below config:"],
    ["config:\n  size: 2\nenviroment: [base]\n", ["enviroment"], "rename enviroment to environment"],
    ["config: 7\n", ["config"], "write one key: value in each line below config:"],
    ["- size\n", ["the file"], "write config: in the first line"],
  ] as const)("rejects %j", ([text, paths, fix]) => {
    const { problems } = inputError(() => read(text));
    expect(problems.map(({ path }) => path)).toEqual(paths);
    expect(problems[0]?.fix).toBe(fix);
  });

  test("a stack that Pulumi.yaml lists needs no file", () => {
    const files = {
      "Pulumi.yaml": `${yaml}stacks: [b, c]\n`,
      "index.ts": "",
      "Pulumi.a.yaml": "",
      "Pulumi.b.yaml": "",
    };
    const project = findProject(folder(files));
    expect(stacksOf(project)).toEqual(["a", "b", "c"]);
    expect(readStackFile(project, "c")).toMatchObject({ file: "Pulumi.c.yaml", values: new Map() });
    expect(readStackFile(project, "c").note).toBeUndefined();
    expect(readStackFile(project, "b").note).toContain("no block config");
    expect(inputError(() => readStackFile(project, "d")).problems[0]?.fix).toBe("use one of a, b, c");
  });

  test("an unknown stack is rejected with the names of the existing ones", () => {
    const stacks = project({ "Pulumi.b.yaml": "", "Pulumi.a.yaml": "" });
    expect(stacksOf(stacks)).toEqual(["a", "b"]);
    expect(inputError(() => readStackFile(stacks, "c")).problems).toMatchObject([
      { path: "--stack", got: "c", fix: "use one of a, b" },
    ]);
  });

  test("a project without stacks has any stack, without values", () => {
    expect(readStackFile(project({}), "c")).toMatchObject({ values: new Map(), note: expect.any(String) as string });
    expect(inputError(() => readStackFile(project({}), "../c")).problems).toMatchObject([{ path: "--stack" }]);
  });
});
