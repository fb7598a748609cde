import { expect, test } from "vitest";
import { minorOf, supportedKubernetesVersions } from "../../../../components/cluster/kubernetes-versions";
import { kubernetesVersion } from "../../../../components/core/versions";
import { clusterVersionSupported as rule } from "../../../../policies/rules/cluster/cluster-version-supported";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const aws = "aws:eks/cluster:Cluster";
const eks = "eks:index:Cluster";
const component = "eks-gpu-lab:index:EksCluster";

const minors = supportedKubernetesVersions.map(minorOf);

test.for([
  ...supportedKubernetesVersions.map((version) => [version, []] as const),
  [`1.${Math.min(...minors) - 1}`, ["fail version"]],
  [`1.${Math.max(...minors) + 1}`, ["fail version"]],
  ["1.35.2", ["fail version"]],
  ["latest", ["fail version"]],
  ["", ["fail version"]],
  [1.35, ["fail version"]],
  [["1.35"], ["fail version"]],
  [undefined, ["advise version"]],
  [null, ["advise version"]],
  [unknown, ["unknown version"]],
] as const)("%j", ([version, expected]) => {
  expect(verdicts(rule, [resource(aws, { version, name: "myeks" })])).toEqual(expected);
  expect(verdicts(rule, [resource(eks, { version, name: "myeks" })])).toEqual(expected);
});

test.for([
  ["the component", component, { kubernetesVersion }, []],
  ["the component, too old", component, { kubernetesVersion: "1.30" }, ["fail kubernetesVersion"]],
  ["the component's default", component, { clusterName: "myeks" }, []],
  ["@pulumi/eks as the engine shows it", eks, {}, ["unknown version"]],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("parameters", () => {
  const said = (config: object) =>
    verdicts(rule, [resource(aws, { version: "1.30" })], { policyConfig: { [rule.id]: config } });
  expect(said({ supported: ["1.30"] })).toEqual([]);
  expect(said({ supported: [] })).toEqual(["fail version"]);
  expect(said({ exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [resource(aws, { version: "hunter2" })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (properties: Record<string, unknown>) =>
    findings(rule, [resource(aws, properties)])[0]?.message.replace(
      supportedKubernetesVersions.join(", "),
      "SUPPORTED",
    );
  expect(message({ version: "1.30" })).toMatchInlineSnapshot(`
    "version: got "1.30". In extended support, a cluster costs 0.60 USD per hour instead of 0.10; then EKS ends the support.
    fix: set version to one of SUPPORTED, in quotes, or add this version to "supported" in the policy configuration"
  `);
  expect(message({ version: 1.35 })?.split(". ")[0]).toMatchInlineSnapshot(`"version: got 1.35"`);
  expect(message({ name: "myeks" })).toMatchInlineSnapshot(`
    "version: got nothing. EKS then uses its current default, so the same program creates a different cluster later.
    fix: set version to one of SUPPORTED, in quotes"
  `);
});

test("a version newer than the supported ones is not in extended support", () => {
  const [found] = findings(rule, [resource("aws:eks/cluster:Cluster", { version: "1.99" })]);
  expect(found?.message).toContain('got "1.99". AMIs, add-ons and charts are not tested with this version.');
});
