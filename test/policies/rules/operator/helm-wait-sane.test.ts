import { expect, test } from "vitest";
import { helmWaitSane as rule } from "../../../../policies/rules/operator/helm-wait-sane";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const component = "eks-gpu-lab:index:GpuOperator";
const release = "kubernetes:helm.sh/v3:Release";
const chart = "gpu-operator";

test.for([
  ["900 seconds", release, { chart, timeout: 900, atomic: false }, []],
  ["exactly enough", release, { chart, timeout: 600 }, []],
  ["no waiting at all", release, { chart, timeout: 60, skipAwait: true }, []],
  ["another chart", release, { chart: "prometheus", timeout: 60, atomic: true }, []],
  ["no number", release, { chart, timeout: "soon" }, []],
  ["a second too few", release, { chart, timeout: 599 }, ["fail timeout"]],
  ["as a text", release, { chart, timeout: "60" }, ["fail timeout"]],
  ["nothing said: 300", release, { chart }, ["fail timeout"]],
  ["rolled back in a lab", release, { chart, timeout: 900, atomic: true }, ["fail atomic"]],
  ["both", release, { chart, timeout: 60, atomic: true }, ["fail timeout", "fail atomic"]],
  ["the component", component, { timeoutSeconds: 60 }, ["fail timeoutSeconds"]],
  ["the component's default", component, { chartVersion: "v26.3.1" }, []],
  ["unknown timeout", release, { chart, timeout: unknown }, ["unknown timeout"]],
  ["unknown timeout of the component", component, { timeoutSeconds: unknown }, ["unknown timeoutSeconds"]],
  ["unknown timeout, no waiting at all", release, { chart, timeout: unknown, skipAwait: true }, []],
  ["unknown wait", release, { chart, timeout: 60, skipAwait: unknown }, ["unknown skipAwait"]],
  ["unknown atomic", release, { chart, timeout: 900, atomic: unknown }, ["unknown atomic"]],
  ["unknown chart", release, { chart: unknown, timeout: 60 }, ["unknown chart"]],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)], { stack: "gpu-lab" })).toEqual(expected);
});

test("outside a lab a rollback is welcome", () => {
  const bad = [resource(release, { chart, timeout: 900, atomic: true })];
  expect(verdicts(rule, bad, { stack: "prod" })).toEqual([]);
  expect(verdicts(rule, bad, { stack: "prod", policyConfig: { [rule.id]: { labStacks: ["p*"] } } })).toEqual([
    "fail atomic",
  ]);
});

test("parameters", () => {
  const policyConfig = { [rule.id]: { minSeconds: 1200 } };
  expect(verdicts(rule, [resource(release, { chart, timeout: 900 })], { policyConfig })).toEqual(["fail timeout"]);
  const exempt = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [resource(release, { chart, timeout: 60 })], { policyConfig: exempt })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [resource(release, { chart: "hunter2/gpu-operator", timeout: 60, atomic: "hunter2" })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const bad = resource(release, { chart, atomic: true });
  expect(findings(rule, [bad], { stack: "gpu-lab" }).map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "timeout: got nothing, which means 300. A new node first pulls every image of the operator. With a shorter wait, Helm aborts an installation that would succeed.
    fix: set timeout to 600 or more, for example 900",
      "atomic: got true. Helm removes a failed installation, including the pods, events and logs that show the cause.
    fix: set atomic to false",
    ]
  `);
});
