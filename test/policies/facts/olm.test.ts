import { expect, test } from "vitest";
import { packs } from "../../../policies/packs";
import { judge } from "../../../policies/engine/judge";
import { gpuOperatorChartPinned } from "../../../policies/rules/operator/gpu-operator-chart-pinned";
import { gpuOperatorK8sCompat } from "../../../policies/rules/operator/gpu-operator-k8s-compat";
import { gpuOperatorChart } from "../../../components/core/versions";
import { findings, resource, unknown, verdicts } from "../support/verdicts";

const name = "gpu-operator-certified";
const pinned = { name, installPlanApproval: "Manual", startingCSV: `${name}.${gpuOperatorChart.version}` };
const subscription = (spec: unknown) =>
  resource("kubernetes:operators.coreos.com/v1alpha1:Subscription", {
    metadata: { name: "gpu-operator", namespace: "nvidia-gpu-operator" },
    spec,
  });
const [approval, csv] = ["spec.installPlanApproval", "spec.startingCSV"];

test.for([
  ["approved by a person, with a first version", pinned, []],
  ["approved automatically", { ...pinned, installPlanApproval: "Automatic" }, [`fail ${approval}`]],
  ["with no approval stated, which is automatic", { ...pinned, installPlanApproval: undefined }, [`fail ${approval}`]],
  ["approved in a way that does not exist", { ...pinned, installPlanApproval: "manual" }, [`fail ${approval}`]],
  ["without a first version", { ...pinned, startingCSV: undefined }, [`fail ${csv}`]],
  ["without a version in its first version", { ...pinned, startingCSV: name }, [`fail ${csv}`]],
  ["with neither", { name, channel: "v26.3" }, [`fail ${approval}`, `fail ${csv}`]],
  ["with a version that was not tested", { ...pinned, startingCSV: `${name}.v25.3.4` }, [`advise ${csv}`]],
  [
    "the community's catalog",
    { ...pinned, name: "gpu-operator", installPlanApproval: "Automatic" },
    [`fail ${approval}`],
  ],
  ["of another operator", { name: "amd-gpu-operator", channel: "alpha" }, []],
  ["of another certified operator", { name: "nfd-certified", installPlanApproval: "Automatic" }, []],
  ["with an unknown approval", { ...pinned, installPlanApproval: unknown }, [`unknown ${approval}`]],
  ["with an unknown first version", { ...pinned, startingCSV: unknown }, [`unknown ${csv}`]],
  ["of an unknown operator", { ...pinned, name: unknown, installPlanApproval: "Automatic" }, ["unknown spec.name"]],
  ["that is unknown", unknown, ["unknown spec"]],
] as const)("a Subscription %s", ([, spec, expected]) => {
  expect(verdicts(gpuOperatorChartPinned, [subscription(spec)])).toEqual(expected);
});

test("the configuration lists its versions", () => {
  const policyConfig = { [gpuOperatorChartPinned.id]: { allowed: ["v25.3.4"] } };
  const judged = (startingCSV: string) =>
    verdicts(gpuOperatorChartPinned, [subscription({ ...pinned, startingCSV })], { policyConfig });
  expect(judged(`${name}.v25.3.4`)).toEqual([]);
  expect(judged(pinned.startingCSV)).toEqual([`fail ${csv}`]);
});

test("its version must fit the cluster", () => {
  const cluster = resource("aws:eks/cluster:Cluster", { version: "1.24" }, { name: "cluster" });
  expect(verdicts(gpuOperatorK8sCompat, [cluster, subscription(pinned)])).toEqual([`fail ${csv}`]);
});

test("no rule judges values that it does not have", () => {
  const nodes = { amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g5.xlarge"] };
  const taints = [{ key: "team", effect: "NO_SCHEDULE" }];
  const group = resource("aws:eks/nodeGroup:NodeGroup", { ...nodes, taints }, { name: "gpu" });
  const isOfSubscription = ({ urn }: { readonly urn: string }) => urn === subscription({}).urn;
  expect(judge(packs.lab, [group, subscription(pinned)]).filter(isOfSubscription)).toEqual([]);
});

test("messages", () => {
  const said = findings(gpuOperatorChartPinned, [subscription({ name, installPlanApproval: "Automatic" })]);
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "spec.installPlanApproval: got Automatic. The Operator Lifecycle Manager then installs each new version of the channel at once.
    fix: set spec.installPlanApproval to Manual",
      "spec.startingCSV: got nothing. The Operator Lifecycle Manager then starts with the newest version of the channel, or with a version that is not allowed.
    fix: set spec.startingCSV to gpu-operator-certified.v26.3.1",
    ]
  `);
});
