import { describe, expect, test } from "vitest";
import { judge, type Pack } from "../../../policies/engine/judge";
import { PolicyConfigError } from "../../../policies/engine/policy-config";
import { Undetermined } from "../../../components/core/reader/truth";
import { adviseIf, failIf, resourceRule, stackRule, type Rule } from "../../../policies/engine/rule";
import { painted, room, shelves } from "../support/sample-rules";
import { resource, unknown, urnOf } from "../support/verdicts";

const cupboard = "shop:index:Cupboard";
const kitchen = "shop:index:Kitchen";

const pack: Pack = {
  name: "shop",
  version: "1.0.0",
  description: "Rules of the shop.",
  rules: [
    { rule: room, level: "mandatory" },
    { rule: shelves, level: "mandatory" },
    { rule: painted, level: "advisory" },
  ],
};
const fine = { shelves: 1, paint: "red", height: 1 };

test("a finding says who, what and how heavy", () => {
  const bad = resource(cupboard, { ...fine, shelves: 4 }, { name: "tall" });
  expect(judge(pack, [bad, resource("shop:index:Room", {})])).toEqual([
    {
      pack: "shop",
      rule: "shelves",
      level: "mandatory",
      severity: "low",
      urn: bad.urn,
      name: "tall",
      verdict: "fail",
      message: "shelves: got 4. 3 hold.\nfix: set shelves to 3 or less",
    },
  ]);
});

test("a rule sees resources of its own types only", () => {
  expect(judge(pack, [resource("shop:index:Room", { shelves: 9, height: 9 })])).toEqual([]);
  expect(judge(pack, [])).toMatchObject([{ rule: "room", verdict: "unknown" }]);
});

describe("levels", () => {
  const bad = [resource(cupboard, { height: 1, shelves: 4 }), resource("shop:index:Room", {})];
  const levels = (policyConfig = {}) => judge(pack, bad, { policyConfig }).map(({ rule, level }) => `${rule} ${level}`);
  test.for([
    [{}, ["shelves mandatory", "painted advisory"]],
    [{ all: "advisory" }, ["shelves advisory", "painted advisory"]],
    [{ all: "disabled" }, []],
    [{ all: "disabled", painted: "mandatory" }, ["painted mandatory"]],
    [{ shelves: { enforcementLevel: "disabled" } }, ["painted advisory"]],
    [{ shelves: "remediate", painted: "remediate" }, ["shelves mandatory", "painted mandatory"]],
    [{ all: { enforcementLevel: "mandatory" }, shelves: { most: 9 } }, ["painted mandatory"]],
    [{ environments: ["shop/dev"] }, ["shelves mandatory", "painted advisory"]],
  ] as const)("%j", ([policyConfig, expected]) => {
    expect(levels(policyConfig)).toEqual(expected);
  });

  test("advice stays advice in a mandatory rule", () => {
    const full = [resource(cupboard, { ...fine, shelves: 3 }), resource("shop:index:Room", {})];
    expect(judge(pack, full)).toMatchObject([{ rule: "shelves", level: "advisory", verdict: "fail" }]);
  });

  test("a bad configuration is refused", () => {
    expect(() => judge(pack, [], { policyConfig: { shelves: { most: 0 } } })).toThrow(PolicyConfigError);
  });
});

describe("what is unknown", () => {
  test("is said once for a resource, with all it waits for", () => {
    const said = judge(pack, [resource(cupboard, { ...fine, shelves: unknown }), resource("shop:index:Room", {})]);
    expect(said).toMatchObject([{ rule: "shelves", level: "mandatory", verdict: "unknown" }]);
    expect(said[0]?.message).toBe("cannot be judged yet: shelves is not known");
  });

  const size = { path: "size", got: "9", why: "It is too big.", fix: "saw some off" };
  const verdicts = (properties: object, rule: Rule) =>
    judge({ ...pack, rules: [{ rule, level: "mandatory" }] }, [resource(cupboard, { ...properties })]).map(
      ({ verdict, message }) => `${verdict}: ${message}`,
    );

  test("names every value that the rule waits for", () => {
    const sized = resourceRule({
      ...shelves,
      id: "sized",
      parameters: {},
      *judge(one) {
        for (const side of ["width", "depth"])
          yield failIf(
            one.integer(side).is((length) => length > 8),
            () => size,
          );
      },
    });
    expect(verdicts({ width: unknown, depth: unknown }, sized)).toEqual([
      "unknown: cannot be judged yet: width, depth are not known",
    ]);
    expect(verdicts({ width: 1, depth: unknown }, sized)).toEqual([
      "unknown: cannot be judged yet: depth is not known",
    ]);
  });

  test("in an advice alone is an unknown verdict as well", () => {
    const light = resourceRule({
      ...shelves,
      id: "light",
      *judge(one) {
        yield failIf(false, () => size);
        yield adviseIf(
          one.integer("weight").is((weight) => weight > 8),
          () => size,
        );
      },
    });
    expect(verdicts({ weight: unknown }, light)).toEqual(["unknown: cannot be judged yet: weight is not known"]);
  });

  test("without a value to wait for is no verdict", () => {
    const idle = resourceRule({ ...shelves, id: "idle", judge: () => [failIf(new Undetermined([]), () => size)] });
    expect(verdicts({}, idle)).toEqual([]);
  });

  test("a stack rule can report several faults of one resource", () => {
    const twice = stackRule({
      ...room,
      id: "twice",
      *judge(stack) {
        for (const one of stack.ofType(cupboard)) {
          yield failIf(true, () => size, one);
          yield failIf(true, () => ({ ...size, path: "weight" }), one);
        }
      },
    });
    expect(verdicts({}, twice)).toMatchObject([
      expect.stringContaining("fail: size"),
      expect.stringContaining("fail: weight"),
    ]);
  });

  test("does not spoil a clear verdict of the same rule", () => {
    const rooms = [resource("shop:index:Room", { height: unknown }, { name: "r" })];
    const [first] = rooms;
    const tall = resource(cupboard, { ...fine, height: 9 }, { propertyDependencies: { room: [first?.urn ?? ""] } });
    const many = ["a", "b", "c"].map((name) => resource(cupboard, fine, { name }));
    const said = judge(pack, [...rooms, tall, ...many], { config: { "shop:ceiling": "3" } });
    expect(said.map(({ urn, verdict }) => [urn, verdict])).toEqual([
      [tall.urn, "unknown"],
      ["", "fail"],
    ]);
  });

  test("leaves an advice of a mandatory rule open as an advice", () => {
    const white = resource(cupboard, { ...fine, paint: unknown });
    const rules = [{ rule: painted, level: "mandatory" as const }];
    expect(judge({ ...pack, rules }, [white])).toMatchObject([{ verdict: "unknown", level: "mandatory" }]);
  });
});

describe("one fault in a component and in what it makes", () => {
  const parent = (properties: object) => resource(kitchen, { ...properties }, { name: "k" });
  const child = (properties: object, above = parent({}).urn) =>
    resource(cupboard, { shelves: 1, height: 1, ...properties }, { name: "c", parent: above });
  const blamed = (...resources: ReturnType<typeof resource>[]) =>
    judge(pack, [...resources, resource("shop:index:Room", {})]).map(({ rule, name }) => `${rule} ${name}`);

  test("only the component is blamed, in whatever order they come", () => {
    expect(blamed(parent({}), child({}))).toEqual(["painted k"]);
    expect(blamed(child({}), parent({}))).toEqual(["painted k"]);
  });

  test("also across another component, and from parents that go in circles", () => {
    const between = resource("shop:index:Wall", {}, { name: "w", parent: parent({}).urn });
    expect(blamed(parent({}), between, child({}, between.urn))).toEqual(["painted k"]);
    const self = child({}, urnOf(cupboard, "c"));
    expect(blamed(self)).toEqual(["painted c"]);
  });

  test("a violation of another rule or of a higher level is not a duplicate", () => {
    expect(blamed(parent({}), child({ shelves: 4 }))).toEqual(["painted k", "shelves c"]);
    expect(blamed(parent({ paint: "white" }), child({}))).toEqual(["painted k", "painted c"]);
    expect(blamed(parent({ paint: "white" }), child({ paint: "white" }))).toEqual(["painted k"]);
    expect(blamed(parent({}), child({ paint: "white" }))).toEqual(["painted k"]);
  });

  test("a custom resource makes nothing: what stands below it has faults of its own", () => {
    const shelf = resource("shop:kitchen/cupboard:Cupboard", {}, { name: "s" });
    const rules = [{ rule: { ...painted, types: [shelf.type, cupboard] }, level: "mandatory" as const }];
    const names = (...resources: ReturnType<typeof resource>[]) =>
      judge({ ...pack, rules }, resources).map(({ name }) => name);
    expect(names(shelf, child({}, shelf.urn))).toEqual(["s", "c"]);
    expect(names(resource(cupboard, {}, { name: "above" }), child({}, urnOf(cupboard, "above")))).toEqual(["above"]);
  });

  test.for([
    ["eks-gpu-lab:index:GpuOperator", "kubernetes:helm.sh/v3:Release", ["it"]],
    ["eks:index:Cluster", "aws:eks/cluster:Cluster", ["it"]],
    ["kubernetes:helm.sh/v3:Chart", "kubernetes:nvidia.com/v1:ClusterPolicy", ["it"]],
    ["kubernetes:helm.sh/v4:Chart", "kubernetes:nvidia.com/v1:ClusterPolicy", ["it"]],
    ["kubernetes:helm.sh/v3:Release", "kubernetes:core/v1:Pod", ["it", "below"]],
    [
      "aws:ec2/securityGroup:SecurityGroup",
      "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
      ["it", "below"],
    ],
    ["random:index/randomId:RandomId", "kubernetes:core/v1:Pod", ["it", "below"]],
  ] as const)("%s and the %s below it", ([above, below, blamedNames]) => {
    const made = resource(
      below,
      {},
      { name: "below", urn: urnOf(`${above}$${below}`, "below"), parent: urnOf(above, "it") },
    );
    const rules = [{ rule: { ...painted, types: [above, below] }, level: "mandatory" as const }];
    const inside = resource(above, {}, { urn: urnOf(`eks-gpu-lab:index:GpuLab$${above}`, "it") });
    const said = (top: ReturnType<typeof resource>) => judge({ ...pack, rules }, [top, { ...made, parent: top.urn }]);
    expect(said(resource(above, {})).map(({ name }) => name)).toEqual(blamedNames);
    expect(said(inside).map(({ name }) => name)).toEqual(blamedNames);
  });

  test("a component that is exempt is not blamed, so its child is", () => {
    const said = judge(pack, [parent({}), child({}), resource("shop:index:Room", {})], {
      policyConfig: { painted: { exempt: ["k"] } },
    });
    expect(said.map(({ name }) => name)).toEqual(["c"]);
  });

  test("what is unknown in the child is left out too", () => {
    expect(blamed(parent({}), child({ paint: unknown }))).toEqual(["painted k"]);
    expect(blamed(parent({ paint: unknown }), child({ paint: unknown }))).toEqual(["painted k", "painted c"]);
  });
});

describe("names that are exempt", () => {
  const names = ["gpu", "gpu-2", "old.gpu", "gpu\nx", "a+b"];
  const left = (...exempt: string[]) =>
    judge(
      { ...pack, rules: [{ rule: painted, level: "mandatory" }] },
      names.map((name) => resource(kitchen, {}, { name })),
      { policyConfig: { painted: { exempt } } },
    ).map(({ name }) => name);
  test.for([
    [[], names],
    [["gpu"], ["gpu-2", "old.gpu", "gpu\nx", "a+b"]],
    [["gpu*"], ["old.gpu", "a+b"]],
    [["*gpu"], ["gpu-2", "gpu\nx", "a+b"]],
    [["old?gpu"], ["gpu", "gpu-2", "gpu\nx", "a+b"]],
    [
      ["a?b", "(", "[", "\\"],
      ["gpu", "gpu-2", "old.gpu", "gpu\nx"],
    ],
    [["**"], []],
    [[""], names],
  ] as const)("%j", ([exempt, expected]) => {
    expect(left(...exempt)).toEqual(expected);
  });
});

describe("a rule on the whole stack", () => {
  const tall = resource(cupboard, { ...fine, height: 9 }, { name: "tall" });
  const low = resource("shop:index:Room", { height: 2 }, { name: "low" });
  const inLow = { ...tall, propertyDependencies: { room: [low.urn, "urn:of:nobody"] } };

  test("blames a resource, or the stack", () => {
    const said = judge(pack, [inLow, low, ...["a", "b"].map((name) => resource(cupboard, fine, { name }))]);
    expect(said.map(({ rule, name, message }) => [rule, name, message.split(".")[0]])).toEqual([
      ["room", "tall", "height: got 9"],
      ["room", "", "cupboards: got 3"],
    ]);
  });

  test("sees resources of its own types only", () => {
    const seen: string[] = [];
    const rule = stackRule({
      ...room,
      judge: ({ resources }) => (seen.push(...resources.map(({ name }) => name)), []),
    });
    judge({ ...pack, rules: [{ rule, level: "mandatory" }] }, [tall, low, resource(kitchen, {}, { name: "k" })]);
    expect(seen).toEqual(["tall", "low"]);
  });

  test("reads the stack's configuration", () => {
    expect(judge(pack, [tall, low], { config: { "shop:ceiling": "3" } })).toMatchObject([{ name: "tall" }]);
    expect(judge(pack, [tall, low], { config: { "shop:ceiling": "9" } })).toEqual([]);
  });

  test("does not blame a name that is exempt", () => {
    expect(judge(pack, [inLow, low], { policyConfig: { room: { exempt: ["tall"] } } })).toEqual([]);
  });

  test("takes parameters", () => {
    expect(judge(pack, [inLow, low], { policyConfig: { room: { each: 0, exempt: ["*"] } } })).toMatchObject([
      { rule: "room", name: "", urn: "", level: "mandatory" },
    ]);
  });
});
