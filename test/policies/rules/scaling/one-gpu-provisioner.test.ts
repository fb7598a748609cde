import { expect, test } from "vitest";
import type { AnalyzedResource } from "../../../../policies/engine/resource";
import { nodeGroup } from "../../../../policies/facts/node-sources";
import { oneGpuProvisioner as rule } from "../../../../policies/rules/scaling/one-gpu-provisioner";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const taints = "spec.template.spec.taints";
const weight = "spec.weight";
const requirements = "spec.template.spec.requirements";
const gpuTaint = { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" };
const type = (...values: unknown[]) => ({ key: "node.kubernetes.io/instance-type", operator: "In", values });
const zone = (...values: unknown[]) => ({ key: "topology.kubernetes.io/zone", operator: "In", values });
const market = (...values: unknown[]) => ({ key: "karpenter.sh/capacity-type", operator: "In", values });

interface Pool {
  readonly [key: string]: unknown;
  readonly requirements?: unknown;
  readonly taints?: unknown;
  readonly labels?: unknown;
  readonly group?: unknown;
  readonly apiVersion?: string;
}
const pool = ({ apiVersion = "v1", group = "karpenter.k8s.aws", labels, ...more }: Pool = {}, name = "pool") => {
  const { requirements = [type("g5.xlarge")], taints = [gpuTaint], ...spec } = more;
  const template = { metadata: { labels }, spec: { nodeClassRef: { group }, requirements, taints } };
  return resource(`kubernetes:karpenter.sh/${apiVersion}:NodePool`, { spec: { template, ...spec } }, { name });
};
const other = (more: Pool = {}) => pool(more, "other");
const auto = { group: "eks.amazonaws.com" };

const group = (more: object = {}) =>
  resource(
    nodeGroup,
    {
      instanceTypes: ["g5.xlarge"],
      scalingConfig: { minSize: 0, maxSize: 2 },
      taints: [{ ...gpuTaint, effect: "NO_SCHEDULE" }],
      ...more,
    },
    { name: "gpu" },
  );
const tags = (tags: unknown) => group({ tags });
const autoscaler = resource("eks-gpu-lab:index:ClusterAutoscaler", {}, { name: "autoscaler" });
const chart = (chart: unknown) => resource("kubernetes:helm.sh/v3:Release", { chart }, { name: "chart" });
const tag = (key: unknown, owner?: AnalyzedResource) =>
  resource(
    "aws:autoscaling/tag:Tag",
    { autoscalingGroupName: unknown, tag: { key } },
    { name: "tag", ...(owner && { propertyDependencies: { autoscalingGroupName: [owner.urn] } }) },
  );
const enabled = "k8s.io/cluster-autoscaler/enabled";

test.for<[string, AnalyzedResource[], string[]]>([
  ["a pool beside an autoscaled group", [pool(), group(), autoscaler], [`fail ${taints}`]],
  ["the chart of the autoscaler", [pool(), group(), chart("cluster-autoscaler")], [`fail ${taints}`]],
  ["a tag of the group", [pool(), tags({ [enabled]: "true" })], [`fail ${taints}`]],
  ["a tag of its Auto Scaling group", [pool(), group(), tag(enabled, group())], [`fail ${taints}`]],
  ["a pool and a group without an autoscaler", [pool(), group(), chart("kaito")], []],
  ["a group alone", [group(), autoscaler], []],
  ["another tag", [pool(), tags({ team: "research" })], []],
  ["a group of one size", [pool(), group({ scalingConfig: { minSize: 2, maxSize: 2 } }), autoscaler], []],
  ["a group without GPUs", [pool(), group({ instanceTypes: ["m7i.large"] }), autoscaler], []],
  ["another type in the group", [pool(), group({ instanceTypes: ["p5.48xlarge"] }), autoscaler], [`fail ${taints}`]],
  ["a taint of the group", [pool(), group({ taints: [] }), autoscaler], []],
  ["a label of the group", [pool({ labels: { use: "a" } }), group({ labels: { use: "b" } }), autoscaler], []],
  ["the weight of the pool", [pool({ weight: 10 }), group(), autoscaler], [`fail ${taints}`]],
  ["two pools", [pool(), other()], [`fail ${weight}`]],
  ["versions of Karpenter", [pool(), other({ apiVersion: "v1beta1", group: undefined })], [`fail ${weight}`]],
  ["a weight", [pool({ weight: 10 }), other()], []],
  ["the same weight", [pool({ weight: 10 }), other({ weight: 10 })], [`fail ${weight}`]],
  ["a weight of 0 and none", [pool({ weight: 0 }), other()], [`fail ${weight}`]],
  ["a type in common", [pool(), other({ requirements: [type("g6.xlarge", "g5.xlarge")] })], [`fail ${weight}`]],
  ["other types", [pool(), other({ requirements: [type("g6.xlarge")] })], []],
  [
    "a family and its type",
    [pool(), other({ requirements: [{ key: "karpenter.k8s.aws/instance-family", operator: "In", values: ["g5"] }] })],
    [`fail ${weight}`],
  ],
  [
    "another family",
    [pool(), other({ requirements: [{ key: "karpenter.k8s.aws/instance-family", operator: "In", values: ["g6"] }] })],
    [],
  ],
  ["a pool without GPUs", [pool(), other({ requirements: [type("m7i.large")] })], []],
  ["zones", ["a", "b"].map((at) => pool({ requirements: [type("g5.xlarge"), zone(at)] }, at)), []],
  [
    "zones in common",
    [
      pool({ requirements: [type("g5.xlarge"), zone("a", "b")] }),
      other({ requirements: [type("g5.xlarge"), zone("b")] }),
    ],
    [`fail ${weight}`],
  ],
  [
    "all zones except one",
    [
      pool({ requirements: [type("g5.xlarge"), { ...zone("a"), operator: "NotIn" }] }),
      other({ requirements: [type("g5.xlarge"), zone("b")] }),
    ],
    [`fail ${weight}`],
  ],
  ["Spot and on demand", [pool(), other({ requirements: [type("g5.xlarge"), market("spot")] })], []],
  ["another taint", [pool(), other({ taints: [gpuTaint, { ...gpuTaint, key: "team" }] })], []],
  ["fewer taints", [pool({ taints: [gpuTaint, { ...gpuTaint, key: "team" }] }), other()], []],
  [
    "a soft taint",
    [pool(), other({ taints: [gpuTaint, { key: "team", effect: "PreferNoSchedule" }] })],
    [`fail ${weight}`],
  ],
  ["another value for GPUs", [pool(), other({ taints: [{ ...gpuTaint, value: "present" }] })], [`fail ${weight}`]],
  [
    "another value",
    ["a", "b"].map((team) => pool({ taints: [gpuTaint, { key: "team", value: team, effect: "NoSchedule" }] }, team)),
    [],
  ],
  ["no taints", [pool({ taints: [] }), other({ taints: [] })], [`fail ${weight}`]],
  ["other labels", ["a", "b"].map((use) => pool({ labels: { use } }, use)), []],
  [
    "the same labels",
    [pool({ labels: { use: "hunter2" } }), other({ labels: { use: "hunter2" } })],
    [`fail ${weight}`],
  ],
  ["a label more", [pool({ labels: { use: "a" } }), other()], [`fail ${weight}`]],
  [
    "a label and a requirement",
    [
      pool({ labels: { use: "a" } }),
      other({ requirements: [type("g5.xlarge"), { key: "use", operator: "In", values: ["b"] }] }),
    ],
    [],
  ],
  ["Karpenter and EKS Auto Mode", [pool(), other(auto)], [`fail ${taints}`]],
  ["weights of Karpenter and EKS Auto Mode", [pool({ weight: 10 }), other(auto)], [`fail ${taints}`]],
  ["EKS Auto Mode with other types", [pool(), other({ ...auto, requirements: [type("g6.xlarge")] })], []],
  ["a fixed number of nodes", [pool(), other({ replicas: 1 })], []],
  ["a fixed number of nodes in the first", [pool({ replicas: 1 }), other()], []],
  ["a limit of 0 GPUs", [pool(), other({ limits: { "nvidia.com/gpu": "0" } })], []],
  ["a limit of 0 GPUs in the first", [pool({ limits: { "nvidia.com/gpu": 0 } }), other()], []],
  ["limits", [pool({ limits: { cpu: 0 } }), other({ limits: { "nvidia.com/gpu": "2" } })], [`fail ${weight}`]],
  ["three pools", [pool(), other(), pool({}, "third")], [`fail ${weight}`, `fail ${weight}`]],
  ["nothing", [], []],
])("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

const pairOf = (unclear: Pool) => [pool(unclear), other()];
test.for<[string, AnalyzedResource[], string]>([
  ["taints", pairOf({ taints: unknown }), taints],
  ["the key of a taint", pairOf({ taints: [{ ...gpuTaint, key: unknown }] }), `${taints}[0].key`],
  ["the effect of a taint", pairOf({ taints: [{ ...gpuTaint, effect: unknown }] }), `${taints}[0].effect`],
  [
    "the value of a taint",
    ["a", unknown].map((value, at) => pool({ taints: [{ ...gpuTaint, key: "team", value }] }, String(at))),
    `${taints}[0].value`,
  ],
  ["a weight", pairOf({ weight: unknown }), weight],
  ["requirements", pairOf({ requirements: unknown }), requirements],
  [
    "a label",
    [pool({ labels: { use: unknown } }), other({ labels: { use: "a" } })],
    "spec.template.metadata.labels.use",
  ],
  ["labels", pairOf({ labels: unknown }), "spec.template.metadata.labels"],
  ["a number of nodes", pairOf({ replicas: unknown }), "spec.replicas"],
  ["limits", pairOf({ limits: unknown }), "spec.limits"],
  ["a limit", pairOf({ limits: { "nvidia.com/gpu": unknown } }), 'spec.limits["nvidia.com/gpu"]'],
  ["a type", pairOf({ requirements: [type(unknown)] }), `${requirements}[0].values[0]`],
  ["the label of a type", pairOf({ requirements: [{ ...type("g5.xlarge"), key: unknown }] }), `${requirements}[0].key`],
  [
    "the operator of a type",
    pairOf({ requirements: [{ ...type("g5.xlarge"), operator: unknown }] }),
    `${requirements}[0].operator`,
  ],
  ["a class", [pool({ weight: 1, group: unknown }), other()], "spec.template.spec.nodeClassRef.group"],
  ["sizes of a group", [pool(), group({ scalingConfig: unknown }), autoscaler], "scalingConfig"],
  ["a size", [pool(), group({ scalingConfig: { minSize: unknown, maxSize: 2 } }), autoscaler], "scalingConfig.minSize"],
  [
    "the most",
    [pool(), group({ scalingConfig: { minSize: 0, maxSize: unknown } }), autoscaler],
    "scalingConfig.maxSize",
  ],
  ["types of a group", [pool(), group({ instanceTypes: [unknown] }), autoscaler], "instanceTypes[0]"],
  [
    "a taint of a group",
    [pool(), group({ taints: [{ key: unknown, effect: "NO_SCHEDULE" }] }), autoscaler],
    "taints[0].key",
  ],
  ["an effect", [pool(), group({ taints: [{ ...gpuTaint, effect: unknown }] }), autoscaler], "taints[0].effect"],
  ["taints of a group", [pool(), group({ taints: unknown }), autoscaler], "taints"],
  ["a chart", [pool(), group(), chart(unknown)], "chart"],
  ["tags of a group", [pool(), tags(unknown)], "tags"],
  ["the key of a tag", [pool(), group(), tag(unknown, group())], "tag.key"],
])("unknown %s", ([, resources, path]) => {
  expect(verdicts(rule, resources)).toEqual([`unknown ${path}`]);
});

test("an exempt pool", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["other"] } } };
  expect(verdicts(rule, [pool(), other()], options)).toEqual([]);
});

test("pools of two clusters", () => {
  const provider = (name: string) =>
    resource("pulumi:providers:kubernetes", { context: name, kubeconfig: `kubeconfig of ${name}` }, { name });
  const inCluster = (name: string) => ({
    ...pool({}, `gpu-${name}`),
    provider: urnOf("pulumi:providers:kubernetes", name),
  });
  const stack = [provider("a"), provider("b"), inCluster("a"), inCluster("b")];
  expect(verdicts(rule, stack)).toEqual([]);
  expect(verdicts(rule, [...stack, { ...inCluster("a"), ...{ urn: "urn:x", name: "third" } }])).toHaveLength(1);
});

test("the messages", () => {
  const said = [
    [pool(), group(), autoscaler],
    [pool(), other(auto)],
    [pool(), other()],
  ];
  expect(said.map((stack) => findings(rule, stack)[0]?.message)).toMatchSnapshot();
});
