import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { describe, expect, test } from "vitest";
import { unknownSentinels } from "../../../components/core/reader/truth";
import { policiesOf } from "../../../policies/engine/crossguard";
import type { AnalyzedResource, Pack } from "../../../policies/engine/judge";
import { adviseIf, failIf, resourceRule, stackRule } from "../../../policies/engine/rule";
import { oneDcgmEngine } from "../../../policies/rules/health/one-dcgm-engine";
import { analyzeRequest, analyzerOf, diagnostics, notApplicable, stackRequest } from "../support/analyzer";
import { unknownCheckingProxy } from "../support/proxy";
import { painted, room, shelves } from "../support/sample-rules";
import { resource, unknown } from "../support/verdicts";

const cupboard = "shop:index:Cupboard";
const kitchen = "shop:index:Kitchen";
const rooms = "shop:index:Room";

const pack: Pack = {
  name: "shop",
  version: "1.0.0",
  description: "Rules of the shop.",
  rules: [
    { rule: shelves, level: "mandatory" },
    { rule: painted, level: "mandatory" },
    { rule: room, level: "mandatory" },
  ],
};
const fine = { shelves: 1, paint: "red", height: 1 };

function engine() {
  const { analyze, analyzeStack, remediate } = analyzerOf(policiesOf(pack));
  return {
    analyze: (each: AnalyzedResource) => analyze(analyzeRequest(each)),
    analyzeStack: (all: readonly AnalyzedResource[]) => analyzeStack(stackRequest(all)),
    remediate: (each: AnalyzedResource) => remediate(analyzeRequest(each)),
  };
}

test("every rule is a policy under its own name, with its schema", () => {
  const policies = policiesOf(pack);
  expect(
    policies.map(({ name, description, severity, enforcementLevel }) => [
      name,
      description,
      severity,
      enforcementLevel,
    ]),
  ).toEqual([
    ["shelves", "A cupboard has few shelves.", "low", "mandatory"],
    ["painted", "Furniture is painted.", "medium", "mandatory"],
    ["room", "The cupboards fit into the rooms.", "critical", "mandatory"],
  ]);
  expect(policies.map(({ configSchema }) => Object.keys(configSchema?.properties ?? {}))).toEqual([
    ["most", "exempt"],
    ["exempt"],
    ["each", "exempt"],
  ]);
});

describe("one resource", () => {
  test("a fail is a violation: the title, then what, why and fix", async () => {
    const response = await engine().analyze(resource(cupboard, { ...fine, shelves: 4 }));
    expect(diagnostics(response)).toEqual([
      "mandatory shelves: A cupboard has few shelves.\nshelves: got 4. 3 hold.\nfix: set shelves to 3 or less",
    ]);
    expect(response.getDiagnosticsList()[0]?.getSeverity()).toBe(1);
    expect(notApplicable(response)).toEqual({ room: "judged with the whole stack" });
  });

  test("advice is advisory in a mandatory rule too", async () => {
    const response = await engine().analyze(resource(cupboard, { ...fine, shelves: 3, paint: "white" }));
    expect(diagnostics(response)).toEqual([
      "advisory shelves: A cupboard has few shelves.\nshelves: got 3. That is full.\nfix: set shelves to 3 or less",
      "advisory painted: Furniture is painted.\npaint: got a string. It rusts.\nfix: set paint to a colour",
    ]);
  });

  test("other types do not apply", async () => {
    const response = await engine().analyze(resource("shop:index:Chair", { shelves: 9 }));
    expect(diagnostics(response)).toEqual([]);
    expect(notApplicable(response)).toEqual({
      shelves: "it judges resources of other types",
      painted: "it judges resources of other types",
      room: "it judges resources of other types",
    });
  });

  test.for(Object.entries(unknownSentinels))(
    "an unknown %s is neither a violation nor a pass",
    async ([, sentinel]) => {
      expect(() => unknownCheckingProxy({ shelves: sentinel })["shelves"]).toThrow();
      const response = await engine().analyze(resource(cupboard, { shelves: sentinel, height: 1 }));
      expect(diagnostics(response)).toEqual([
        "mandatory painted: Furniture is painted.\npaint: got nothing. It rusts.\nfix: set paint to a colour",
      ]);
      expect(notApplicable(response)).toMatchObject({
        shelves: "cannot be judged yet: shelves is not known",
      });
    },
  );

  test("advice is given with what is unknown", async () => {
    const both = resourceRule({
      ...{ id: "both", title: "Both are read.", severity: "low", incident: "one was not read", types: [cupboard] },
      *judge(each) {
        yield adviseIf(true, () => ({ path: "shelves", got: "1", why: "Few.", fix: "add one" }));
        const isRed = each.text("paint").is((paint) => paint === "red");
        yield failIf(isRed, () => ({ path: "paint", got: "red", why: "Loud.", fix: "choose another" }));
      },
    });
    const { analyze } = analyzerOf(policiesOf({ ...pack, rules: [{ rule: both, level: "mandatory" }] }));
    const response = await analyze(analyzeRequest(resource(cupboard, { shelves: 1, paint: unknown })));
    expect(diagnostics(response).map((said) => said.split(":")[0])).toEqual(["advisory both"]);
    expect(notApplicable(response)).toEqual({});
  });

  test("a secret arrives as plain text", async () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: 4 };
    expect(diagnostics(await engine().analyze(resource(cupboard, { ...fine, shelves: secret })))).toHaveLength(1);
  });

  test("what the program tells the engine to ignore is known", async () => {
    const rule = resourceRule({
      ...shelves,
      *judge(one) {
        yield failIf(one.ignores("shelves.top"), () => ({ path: "shelves", got: "ignored", why: "W.", fix: "f" }));
      },
    });
    const { analyze } = analyzerOf(policiesOf({ ...pack, rules: [{ rule, level: "mandatory" }] }));
    const said = async (...ignoreChanges: string[]) =>
      diagnostics(await analyze(analyzeRequest(resource(cupboard, fine, { options: { ignoreChanges } })))).length;
    expect([await said("shelves"), await said("paint")]).toEqual([1, 0]);
  });

  test("remediation has nothing to do", async () => {
    expect((await engine().remediate(resource(cupboard, { shelves: 4 }))).getRemediationsList()).toEqual([]);
  });
});

describe("a component and what it makes", () => {
  const parent = (properties: object) => resource(kitchen, { ...properties }, { name: "k" });
  const child = resource(cupboard, { shelves: 1 }, { name: "c", parent: parent({}).urn });

  test("one fault is reported once", async () => {
    const { analyze } = engine();
    expect(diagnostics(await analyze(parent({})))).toHaveLength(1);
    const response = await analyze(child);
    expect(diagnostics(response)).toEqual([]);
    expect(notApplicable(response)).toMatchObject({ painted: "reported for its component" });
  });

  test("the verdict of a later look counts", async () => {
    const { analyze } = engine();
    await analyze(parent({}));
    await analyze(parent({ paint: "red" }));
    expect(diagnostics(await analyze(child))).toHaveLength(1);
  });

  test("advice on the component leaves a fail of the child", async () => {
    const { analyze } = engine();
    await analyze(parent({ paint: "white" }));
    expect(diagnostics(await analyze(child))).toHaveLength(1);
  });
});

test("of a child with several faults only the duplicate is left out", async () => {
  const rule = resourceRule({
    ...painted,
    *judge(one) {
      const fault = (path: string) => () => ({ path, got: "nothing", why: "W.", fix: "f" });
      yield failIf(one.text("paint").isAbsent, fault("paint"));
      yield adviseIf(one.text("wax").isAbsent, fault("wax"));
    },
  });
  const { analyze } = analyzerOf(policiesOf({ ...pack, rules: [{ rule, level: "mandatory" }] }));
  const above = resource(kitchen, { paint: "red" }, { name: "k" });
  await analyze(analyzeRequest(above));
  const response = await analyze(analyzeRequest(resource(cupboard, {}, { name: "c", parent: above.urn })));
  expect(diagnostics(response).map((said) => said.split(/[:\n]/)[2])).toEqual(["paint"]);
  expect(notApplicable(response)).toEqual({});
});

describe("the whole stack", () => {
  const low = resource(rooms, { height: 2 }, { name: "low" });
  const tall = resource(cupboard, { ...fine, height: 9 }, { name: "tall", propertyDependencies: { room: [low.urn] } });
  const said = "mandatory room: The cupboards fit into the rooms.\nheight: got 9. The ceiling is 2.\nfix: saw some off";
  const outputs = (properties: Record<string, unknown>) => [low, tall].map((each) => ({ ...each, properties }));

  test("is judged by the inputs seen before, not by outputs", async () => {
    const { analyze, analyzeStack } = engine();
    for (const each of [low, tall]) await analyze(each);
    const response = await analyzeStack(outputs({}));
    expect(diagnostics(response)).toEqual([said]);
    expect(response.getDiagnosticsList()[0]?.getUrn()).toBe(tall.urn);
  });

  test("is judged by outputs where no inputs were seen", async () => {
    expect(diagnostics(await engine().analyzeStack([low, tall]))).toEqual([said]);
    expect(diagnostics(await engine().analyzeStack(outputs({})))).toEqual([]);
  });

  test("a fault of the stack has no URN", async () => {
    const many = ["a", "b", "c"].map((name) => resource(cupboard, fine, { name }));
    const response = await engine().analyzeStack([low, ...many]);
    expect(response.getDiagnosticsList().map((d) => d.getUrn())).toEqual([""]);
  });

  test("advice on the stack has no URN either, and says it is advice", async () => {
    const rule = stackRule({
      ...room,
      *judge() {
        yield adviseIf(true, () => ({ path: "rooms", got: "none", why: "W.", fix: "f" }));
      },
    });
    const { analyzeStack } = analyzerOf(policiesOf({ ...pack, rules: [{ rule, level: "mandatory" }] }));
    const response = await analyzeStack(stackRequest([low]));
    expect(diagnostics(response).map((text) => text.split(":")[0])).toEqual(["advisory room"]);
    expect(response.getDiagnosticsList().map((d) => d.getUrn())).toEqual([""]);
  });

  test("what is unknown is neither a violation nor a pass", async () => {
    const { analyze, analyzeStack } = engine();
    await analyze(low);
    await analyze({ ...tall, properties: { ...fine, height: unknown } });
    const response = await analyzeStack(outputs({}));
    expect(diagnostics(response)).toEqual([]);
    expect(notApplicable(response)).toEqual({
      room: "cannot be judged yet: height is not known",
    });
  });

  test("the stack's configuration comes from the engine", async () => {
    setAllConfig({ "shop:ceiling": "3" });
    const alone = { ...tall, propertyDependencies: {} };
    expect(diagnostics(await engine().analyzeStack([low, alone]))).toHaveLength(1);
    setAllConfig({ "shop:ceiling": "9" });
    expect(diagnostics(await engine().analyzeStack([low, alone]))).toEqual([]);
  });
});

test("rules learn the provider of a resource, and so its cluster", async () => {
  const rules = [{ rule: oneDcgmEngine, level: "mandatory" as const }];
  const { analyze, analyzeStack } = analyzerOf(policiesOf({ ...pack, rules }));
  const of = (name: string) => resource("pulumi:providers:kubernetes", {}, { name }).urn;
  const chart = (name: string, provider: string) =>
    resource("kubernetes:helm.sh/v3:Release", { chart: name }, { name, provider });
  const said = async (resources: readonly AnalyzedResource[]) => {
    for (const one of resources) await analyze(analyzeRequest(one));
    return diagnostics(await analyzeStack(stackRequest(resources))).length;
  };
  expect(await said([chart("eks-node-monitoring-agent", of("a")), chart("gpu-operator", of("a"))])).toBe(1);
  expect(await said([chart("eks-node-monitoring-agent", of("a")), chart("gpu-operator", of("b"))])).toBe(0);
});
