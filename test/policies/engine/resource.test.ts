import { describe, expect, test } from "vitest";
import { Resource, Stack, surroundings } from "../../../policies/engine/resource";
import { Undetermined, unknownSentinels } from "../../../components/core/reader/truth";
import { resource, urnOf } from "../support/verdicts";

describe("a resource", () => {
  test("its URN shows the components that contain it", () => {
    const made = new Resource(resource("c", {}, { urn: urnOf("a$b$c", "x") }));
    expect(["a", "b", "c", "d"].map((type) => made.isInside(type))).toEqual([true, true, false, false]);
    expect(new Resource(resource("c", {}, { urn: "no URN" })).isInside("a")).toBe(false);
    const long = new Resource(resource("eks:index:Cluster", {}, { urn: urnOf("eks:index:Group$aws:ec2:Vpc", "x") }));
    expect(["eks:index:Group", "e", "eks", "aws:ec2:Vpc"].map((type) => long.isInside(type))).toEqual([
      ...[true, false, false, false],
    ]);
  });

  test("knows whether its inputs were sent", () => {
    expect(new Resource(resource("a", {})).isEmpty).toBe(true);
    expect(new Resource(resource("a", { b: undefined })).isEmpty).toBe(false);
    expect(new Resource({ ...resource("a", {}), remote: true }).isEmpty, "the program gives it none").toBe(false);
  });

  test.for([
    ["a", true],
    ["a.b", true],
    ['a["b"]', true],
    ['["a"].b', true],
    ["a.*", true],
    ["*", true],
    ["c.b", false],
    ["a[*].c", false],
    ["a.b.c", false],
    ["a.x", false],
    ["b", false],
    ["", false],
  ] as const)("ignoreChanges %j covers a.b: %s", ([ignored, expected]) => {
    expect(new Resource(resource("t", {}, { options: { ignoreChanges: [ignored] } })).ignores("a.b")).toBe(expected);
  });

  test("ignores nothing by default", () => {
    expect(new Resource(resource("t", {})).ignores("a")).toBe(false);
    expect(new Resource(resource("t", {}, { options: {} })).ignores("a")).toBe(false);
  });
});

test("a stack finds what stands behind a property", () => {
  const template = resource("template", {}, { name: "lt" });
  const group = resource("group", {}, { propertyDependencies: { launchTemplate: [template.urn, "urn:gone"] } });
  const stack = new Stack([template, group].map((each) => new Resource(each)));
  const [found] = stack.ofType("group");
  expect(stack.behind(found as Resource, "launchTemplate", "template").map(({ name }) => name)).toEqual(["lt"]);
  expect(stack.behind(found as Resource, "launchTemplate", "subnet")).toEqual([]);
  expect(stack.behind(found as Resource, "subnetIds", "template")).toEqual([]);
  expect(stack.ofType("template", "group")).toHaveLength(2);
});

test("the stack's configuration is read by full key, structured values as objects", () => {
  const config = {
    "x:size": "3",
    "x:on": "true",
    "x:version": "1.35",
    "x:box": ' {"a":[1]}',
    "x:bad": "{",
    "x:list": "[2]",
    "x:words": "a [1]",
    "x:number": "12",
  };
  const reader = surroundings({ config }).config;
  expect(reader.integer(["x:size"]).value).toBe(3);
  expect(reader.version(["x:version"]).value).toBe("1.35");
  expect(reader.list(["x:box", "a"]).value?.[0]?.integer().value).toBe(1);
  expect(reader.list(["x:list"]).value).toHaveLength(1);
  expect(reader.text(["x:bad"]).value).toBe("{");
  expect(reader.text(["x:words"]).value).toBe("a [1]");
  expect(reader.text(["x:number"]).value).toBe("12");
  expect(reader.text(["x:none"]).isAbsent).toBe(true);
});

test("what is left out of the surroundings is empty, and the time is now", () => {
  const before = Date.now();
  const { project, stack, config, now } = surroundings({});
  expect([project, stack, config.entries().value]).toEqual(["", "", []]);
  expect(now.getTime()).toBeGreaterThanOrEqual(before);
  expect(surroundings({ now: new Date(0) }).now.getTime()).toBe(0);
});

test("values that a patch omits are undetermined, except its name and namespace", () => {
  const patch = new Resource({
    urn: "urn",
    type: "kubernetes:apps/v1:DeploymentPatch",
    name: "it",
    properties: { spec: { replicas: 1, list: [{}], none: null, later: unknownSentinels.text } },
  });
  const undetermined = new Undetermined([]);
  expect(patch.integer("spec.replicas").value).toBe(1);
  expect(patch.text("spec.missing").isAbsent).toEqual(undetermined);
  expect(patch.text("spec.none").is(() => true)).toEqual(undetermined);
  expect(patch.text("spec.missing").isMalformed).toEqual(undetermined);
  expect(patch.text("spec.missing").or("x").value).toBeUndefined();
  expect(patch.list("spec.list").value?.[0]?.text("missing").isAbsent).toEqual(undetermined);
  expect(patch.entries("spec").value?.[1]?.[1].list().value?.[0]?.text("missing").isAbsent).toEqual(undetermined);
  expect(patch.text("spec.later").isAbsent).toEqual(new Undetermined(["spec.later"]));
  expect(patch.text("metadata.labels").isAbsent).toEqual(undetermined);
  expect(patch.text("metadata.name").isAbsent).toBe(true);
  expect(patch.text("metadata.namespace").isAbsent).toBe(true);
});
