import { EnforcementLevel } from "@pulumi/pulumi/proto/analyzer_pb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PolicyConfigError, policyConfigProblems } from "../../../policies/engine/policy-config";
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

/** The answer to the engine when it configures one rule. */
const configured = (rule: string, properties: Record<string, unknown>) =>
  pack.configure({ [rule]: { level: EnforcementLevel.MANDATORY, properties } }).then(
    () => "accepted",
    (error: unknown) => (error as { details?: string }).details,
  );

test.for([
  ["gpu-operator-chart-pinned", { alowed: ["v26.7.0"] }],
  ["gpu-operator-chart-pinned", { allowed: "v26.7.0" }],
  ["gpu-vcpu-quota", { quotas: { gOndemand: 96 } }],
  ["gpu-operator-k8s-compat", { ranges: ["nonsense"] }],
  ["cluster-version-supported", { supported: ["v1.33"] }],
  ["gpu-desired-zero", { allowStacks: { serving: 1.5 } }],
] as const)("the pack rejects the configuration of %s by %j", async ([rule, properties]) => {
  const problems = policyConfigProblems(packs.lab, { [rule]: properties });
  expect(problems).toHaveLength(1);
  expect(await configured(rule, properties)).toBe(new PolicyConfigError(problems).message);
  expect(problems[0]?.path).toBe(`${rule}.${Object.keys(properties)[0]}`);
});

test("the texts of a rejection", async () => {
  expect(await configured("gpu-operator-chart-pinned", { alowed: [], allowed: ["latest"] })).toMatchInlineSnapshot(`
    "gpu-operator-chart-pinned.allowed: got ["latest"]. Must be a list of exact versions such as v26.3.1.
      fix: set gpu-operator-chart-pinned.allowed to a list of exact versions such as v26.3.1
    gpu-operator-chart-pinned.alowed: got []. The rule has no parameter with this name.
      fix: did you mean allowed?"
  `);
});

test("after a rejection the earlier configuration applies, and a valid one is accepted", async () => {
  const operator = resource("eks-gpu-lab:index:GpuOperator", { chartVersion: "v25.10.1" });
  const found = async () => diagnostics(await pack.analyze(analyzeRequest(operator))).length;
  expect(await configured("gpu-operator-chart-pinned", { allowed: ["v25.10.1"] })).toBe("accepted");
  expect(await found()).toBe(0);
  expect(await configured("gpu-operator-chart-pinned", { allowed: 3 })).not.toBe("accepted");
  expect(await found()).toBe(0);
  expect(await configured("gpu-operator-chart-pinned", {})).toBe("accepted");
  expect(await found()).toBe(1);
});

test("every rule accepts its own defaults from the engine", async () => {
  const answers = packs.lab.rules.map(async ({ rule }) => {
    const defaults = Object.entries(rule.parameters).map(([name, parameter]) => [name, parameter.default]);
    return [rule.id, await configured(rule.id, Object.fromEntries(defaults) as Record<string, unknown>)];
  });
  expect(await Promise.all(answers)).toEqual(packs.lab.rules.map(({ rule }) => [rule.id, "accepted"]));
});
