import { EnforcementLevel } from "@pulumi/pulumi/proto/analyzer_pb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packs } from "../../../policies/packs";
import { analyzeRequest, diagnostics } from "../support/analyzer";
import { servePack } from "../support/served-pack";
import { resource } from "../support/verdicts";

let pack: Awaited<ReturnType<typeof servePack>>;
beforeAll(async () => {
  pack = await servePack("lab", { stack: "dev" });
  await pack.configureStack();
}, 60_000);
afterAll(() => pack.stop());

/** What the engine is told when it configures one rule so. */
const configured = (rule: string, properties: Record<string, unknown>) =>
  pack.configure({ [rule]: { level: EnforcementLevel.MANDATORY, properties } }).then(
    () => "taken",
    (error: unknown) => (error as { details?: string }).details,
  );

test.for([
  [
    "gpu-operator-chart-pinned",
    { alowed: ["v26.7.0"] },
    'gpu-operator-chart-pinned.alowed: got ["v26.7.0"]. The rule has no such parameter.\n  fix: did you mean allowed?',
  ],
  [
    "gpu-operator-chart-pinned",
    { allowed: "v26.7.0" },
    'gpu-operator-chart-pinned.allowed: got "v26.7.0". It must be a list of exact versions such as v26.3.1.\n  fix: set gpu-operator-chart-pinned.allowed to a list of exact versions such as v26.3.1',
  ],
  [
    "gpu-vcpu-quota",
    { quotas: { gOndemand: 96 } },
    expect.stringContaining(
      "It must be an object of whole numbers of 0 or more by gOnDemand, gSpot, pOnDemand, pSpot.",
    ),
  ],
  [
    "gpu-operator-k8s-compat",
    { ranges: ["nonsense"] },
    expect.stringContaining("It must be a list of rows such as 26.3.0: 1.32 - 1.35."),
  ],
  [
    "cluster-version-supported",
    { supported: ["v1.33"] },
    expect.stringContaining("It must be a list of minors such as 1.35."),
  ],
  [
    "gpu-desired-zero",
    { allowStacks: { serving: 1.5 } },
    expect.stringContaining("It must be an object of whole numbers"),
  ],
] as const)("the engine is refused a configuration of %s by %j", async ([rule, properties, expected]) => {
  expect(await configured(rule, properties)).toEqual(expected);
});

test("after a refusal the configuration before it holds, and a good one is taken", async () => {
  const operator = resource("eks-gpu-lab:index:GpuOperator", { chartVersion: "v26.7.0" });
  const found = async () => diagnostics(await pack.analyze(analyzeRequest(operator))).length;
  expect(await configured("gpu-operator-chart-pinned", { allowed: ["v26.7.0"] })).toBe("taken");
  expect(await found()).toBe(0);
  expect(await configured("gpu-operator-chart-pinned", { allowed: 3 })).not.toBe("taken");
  expect(await found()).toBe(0);
  expect(await configured("gpu-operator-chart-pinned", {})).toBe("taken");
  expect(await found()).toBe(1);
});

test("every rule takes its own defaults from the engine", async () => {
  const taken = packs.lab.rules.map(async ({ rule }) => {
    const defaults = Object.entries(rule.parameters).map(([name, parameter]) => [name, parameter.default]);
    return [rule.id, await configured(rule.id, Object.fromEntries(defaults) as Record<string, unknown>)];
  });
  expect(await Promise.all(taken)).toEqual(packs.lab.rules.map(({ rule }) => [rule.id, "taken"]));
});
