import { expect, test } from "vitest";
import { InputError } from "../../../components/core/problems";
import { findProject } from "../../../planner/program/project";
import { lastOfEach, stackConfig } from "../../../planner/program/stack-config";
import { folder } from "../../support/files";

function project(declared = "") {
  return findProject(
    folder({
      "Pulumi.yaml": `name: shop\nruntime: nodejs\n${declared}`,
      "index.ts": "",
      "Pulumi.dev.yaml":
        "config:\n  nodes: {min: 1, tags: [a, b]}\n  version: '1.35'\n  on: true\n  aws:region: eu-west-1\n",
    }),
  );
}

const fromFile = {
  "shop:nodes": '{"min":1,"tags":["a","b"]}',
  "shop:version": "1.35",
  "shop:on": "true",
  "aws:region": "eu-west-1",
};

test("a stack's values reach the program as strings, structured ones as JSON", () => {
  expect(stackConfig(project(), "dev", []).values).toEqual(fromFile);
});

test("a default of Pulumi.yaml replaces a missing value only", () => {
  const declared = "config:\n  version: {type: string, default: '9'}\n  extra: {type: object, default: {}}\n";
  expect(stackConfig(project(declared), "dev", []).values).toEqual({ ...fromFile, "shop:extra": "{}" });
});

test("a declared key without any value is missing, as for Pulumi", () => {
  const declared =
    "config:\n  must: {type: string}\n  other: {type: object}\n  version: {type: string}\n  aws:profile: {}\n";
  expect(() => stackConfig(project(declared), "dev", ["other.x=1"])).toThrow(
    "shop:must: Pulumi.yaml declares this key without a default value.\n    fix: pulumi config set must VALUE",
  );
  const set = stackConfig(project(declared), "dev", ["other.x=1", "must=a"]);
  expect(set.values).toMatchObject({ "shop:must": "a", "shop:other": '{"x":1}' });
});

test("an environment of Pulumi ESC may have the missing value", () => {
  const files = { "Pulumi.yaml": "name: shop\nruntime: nodejs\nconfig:\n  must: {type: string}\n", "index.ts": "" };
  const dev = findProject(folder({ ...files, "Pulumi.dev.yaml": "environment: [shared]\nconfig: {}\n" }));
  expect(stackConfig(dev, "dev", []).values).toEqual({});
});

test.for([
  ["version=1.36", { "shop:version": "1.36" }],
  ["aws:region=us-east-1", { "aws:region": "us-east-1" }],
  ["nodes.max=3", { "shop:nodes": '{"min":1,"tags":["a","b"],"max":3}' }],
  ["nodes.min=two", { "shop:nodes": '{"min":"two","tags":["a","b"]}' }],
  ["nodes.on=true", { "shop:nodes": '{"min":1,"tags":["a","b"],"on":true}' }],
  ["nodes.size=1.5", { "shop:nodes": '{"min":1,"tags":["a","b"],"size":"1.5"}' }],
  ["nodes.tags[1]=c", { "shop:nodes": '{"min":1,"tags":["a","c"]}' }],
  ['nodes["a.b"]=c', { "shop:nodes": '{"min":1,"tags":["a","b"],"a.b":"c"}' }],
  ["fresh.list[0].name=x=y", { "shop:fresh": '{"list":[{"name":"x=y"}]}' }],
  ['nodes={"min":5}', { "shop:nodes": '{"min":5}' }],
  ["version=", { "shop:version": "" }],
  ["version={not json", { "shop:version": "{not json" }],
] as const)("--config %s", ([override, expected]) => {
  expect(stackConfig(project(), "dev", [override]).values).toEqual({ ...fromFile, ...expected });
});

test.for(["3", "3000000", "999999999", "99999999999999999999"])("index %s of a list is rejected", (index) => {
  const path = `nodes.tags[${index}]`;
  expect(() => stackConfig(project(), "dev", [`${path}=x`])).toThrow(
    `--config ${path}: got ${Number(index)}. Must be an index from 0 to 2: the list has 2 items.\n    fix: use [2] to add an item`,
  );
});

test("the next index of a list adds an item, also to a new list", () => {
  const { values } = stackConfig(project(), "dev", ["nodes.tags[2]=c", "fresh[0].a[0]=x", "fresh[1]=y"]);
  expect(values).toMatchObject({
    "shop:nodes": '{"min":1,"tags":["a","b","c"]}',
    "shop:fresh": '[{"a":["x"]},"y"]',
  });
});

test("an override replaces a default of Pulumi.yaml as a whole, as pulumi config set does", () => {
  const declared = "config:\n  logs: {type: array, items: {type: string}, default: [api, audit]}\n";
  expect(stackConfig(project(declared), "dev", ["logs[0]=scheduler"]).values).toMatchObject({
    "shop:logs": '["scheduler"]',
  });
});

test("all overrides that are not KEY=VALUE are rejected at once", () => {
  const read = () => stackConfig(project(), "dev", ["novalue", "=x", "a..b=1", "nodes.min=2"]);
  expect(read).toThrow(InputError);
  expect(read).toThrowErrorMatchingInlineSnapshot(`
    [Error: 3 problems with the command line:
      --config: got "novalue". Must be KEY=VALUE.
        fix: use, for example, --config gpuNodes.maxSize=1
      --config: got "=x". Must be KEY=VALUE.
        fix: use, for example, --config gpuNodes.maxSize=1
      --config: got "a..b=1". Must be KEY=VALUE.
        fix: use, for example, --config gpuNodes.maxSize=1]
  `);
});

test("a key without a value is an empty string", () => {
  const files = {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "index.ts": "",
    "Pulumi.dev.yaml": "config:\n  none:\n  tilde: ~\n  list: [~]\n",
  };
  const { values } = stackConfig(findProject(folder(files)), "dev", []);
  expect(values).toEqual({ "shop:none": "", "shop:tilde": "", "shop:list": "[null]" });
});

test("a file without config is noted", () => {
  const files = {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "index.ts": "",
    "Pulumi.dev.yaml": "# nothing yet\n",
  };
  const notes = ["Pulumi.dev.yaml has no block config, so the stack sets no value."];
  expect(stackConfig(findProject(folder(files)), "dev", []).notes).toEqual(notes);
  expect(stackConfig(project(), "dev", []).notes).toEqual([]);
});

test.for([
  [["size=1", "size=2"], ["size=2"]],
  [["size=1", "shop:size=1"], ["shop:size=1"]],
  [["other:size=1", "size=1"], []],
  [["nodes.min=1", "nodes.max=2"], []],
  [["nodes.min=1", 'nodes={"max": 2}'], ['nodes={"max": 2}']],
  [['nodes={"max": 2}', "nodes.min=1"], []],
  [
    ["nodes.tags[0]=a", "nodes.tags[0]=b", 'nodes["tags"][0]=c'],
    ["nodes.tags[0]=b", 'nodes["tags"][0]=c'],
  ],
] as const)("of %j, %j are refused", ([overrides, refused]) => {
  const read = () => stackConfig(project(), "dev", overrides);
  if (refused.length === 0) expect(read).not.toThrow();
  else {
    const paths = refused.map((got) => ({ code: "conflict", path: "--config", got }));
    expect(read).toThrow(
      expect.objectContaining({ problems: paths.map((one) => expect.objectContaining(one) as object) }),
    );
  }
});

test("the last override of a key wins, where overrides come from several places", () => {
  const given = ["nccl=open", "addons.kube-proxy=v1", "nccl=blocked", "note=a=b", "note=c"];
  expect(lastOfEach(given)).toEqual(["nccl=blocked", "addons.kube-proxy=v1", "note=c"]);
});
