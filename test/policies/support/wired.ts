import fc from "fast-check";
import { judge, type AnalyzedResource, type Finding, type Pack } from "../../../policies/engine/judge";
import { lab } from "../../../policies/packs/lab/rules";
import { hostileValues, pathsOf, withValue, type Key } from "./hostile";
import { sampleOf } from "./spoilt";
import { resource } from "./verdicts";

const [group, managed, scaling] = [
  "aws:eks/nodeGroup:NodeGroup",
  "eks:index:ManagedNodeGroup",
  "aws:autoscaling/group:Group",
];
const [template, subnet, tag] = [
  "aws:ec2/launchTemplate:LaunchTemplate",
  "aws:ec2/subnet:Subnet",
  "aws:autoscaling/tag:Tag",
];
const [firewall, rule, ingress] = [
  "aws:ec2/securityGroup:SecurityGroup",
  "aws:ec2/securityGroupRule:SecurityGroupRule",
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
];
const [role, attachment, policy] = [
  "aws:iam/role:Role",
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  "aws:iam/policy:Policy",
];
const [release, deployment, addon] = [
  "kubernetes:helm.sh/v3:Release",
  "kubernetes:apps/v1:Deployment",
  "aws:eks/addon:Addon",
];

/** Type, name, what differs from the sample, and by property the names of the resources behind it. */
type Part = readonly [type: string, name: string, over?: object, behind?: Readonly<Record<string, readonly string[]>>];

const surging = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
const serving = (sampleOf(deployment) as { spec: { template: { spec: object } } }).spec;
/** Which nodes take these pods only the subnets tell. */
const inZone = {
  ...serving.template.spec,
  affinity: {},
  nodeSelector: { "topology.kubernetes.io/zone": "ap-northeast-2a" },
};

/** A whole cluster whose parts refer to each other, as the engine tells it. */
const parts: readonly Part[] = [
  [role, "node-role"],
  [attachment, "node-policy", {}, { role: ["node-role"], policyArn: ["own-policy"] }],
  [policy, "own-policy"],
  [firewall, "nodes"],
  [rule, "within", {}, { securityGroupId: ["nodes"], sourceSecurityGroupId: ["nodes"] }],
  [ingress, "from-within", {}, { securityGroupId: ["nodes"], referencedSecurityGroupId: ["nodes"] }],
  [subnet, "subnet-a"],
  [subnet, "subnet-b", { availabilityZone: "ap-northeast-2c" }],
  [template, "template", { vpcSecurityGroupIds: ["sg-0"] }, { vpcSecurityGroupIds: ["nodes"] }],
  [
    group,
    "from-template",
    { instanceTypes: undefined, launchTemplate: { id: "lt-0", version: "1" }, nodeGroupName: "from-template" },
    { launchTemplate: ["template"], subnetIds: ["subnet-a"], nodeRoleArn: ["node-role"] },
  ],
  [
    group,
    "plain",
    { subnetIds: ["subnet-0", "subnet-1"], nodeGroupName: "plain" },
    { subnetIds: ["subnet-a", "subnet-b"] },
  ],
  ["aws:scheduler/schedule:Schedule", "evening", {}, { target: ["plain"] }],
  ["eks-gpu-lab:index:LabLease", "lease", {}, { nodeGroups: ["from-template"] }],
  [managed, "managed", { instanceTypes: ["g5.xlarge"] }, { nodeRoleArn: ["node-role"] }],
  [scaling, "scaling", { launchTemplate: { id: "lt-0", version: "1" } }, { launchTemplate: ["template"] }],
  [tag, "hint", {}, { autoscalingGroupName: ["from-template"] }],
  ["aws:eks/cluster:Cluster", "cluster"],
  ["aws:eks/fargateProfile:FargateProfile", "fargate"],
  [addon, "coredns"],
  [addon, "agent", { addonName: "eks-node-monitoring-agent", configurationValues: '{"dcgmAgent":{"tolerations":[]}}' }],
  [release, "operator"],
  [release, "plugin", { chart: "nvidia-device-plugin", values: {} }],
  ["kubernetes:argoproj.io/v1alpha1:Application", "application"],
  ["kubernetes:helm.toolkit.fluxcd.io/v2:HelmRelease", "flux"],
  [
    "kubernetes:helm.toolkit.fluxcd.io/v2:HelmRelease",
    "flux-image",
    { spec: { chartRef: { kind: "OCIRepository", name: "gpu-operator" }, values: {} } },
  ],
  ["kubernetes:source.toolkit.fluxcd.io/v1:OCIRepository", "image"],
  ["eks-gpu-lab:index:GpuOperator", "own-operator"],
  ["eks-gpu-lab:index:NodeFirewall", "own-firewall"],
  ["eks-gpu-lab:index:ClusterAutoscaler", "autoscaler"],
  ["kubernetes:nvidia.com/v1:ClusterPolicy", "policy"],
  ["kubernetes:nvidia.com/v1:ClusterPolicyPatch", "policy-patch"],
  [deployment, "serving"],
  [deployment, "surging", { spec: { ...serving, strategy: surging, replicas: 4, template: { spec: inZone } } }],
  ["kubernetes:apps/v1:DaemonSet", "agents"],
  ["kubernetes:apps/v1:StatefulSet", "index", { spec: serving }],
  ["kubernetes:batch/v1:Job", "training", { spec: { ...serving, parallelism: 1 } }],
  ["kubernetes:core/v1:ConfigMap", "files"],
];

const typeOf = new Map(parts.map(([type, name]) => [name, type]));

export const wired: readonly AnalyzedResource[] = parts.map(([type, name, over = {}, behind = {}]) => {
  const given = Object.entries({ ...sampleOf(type), ...over }).filter(([, value]) => value !== undefined);
  const links = Object.entries(behind).map(([property, names]) => [
    property,
    names.map((one) => resource(typeOf.get(one) ?? "", {}, { name: one }).urn),
  ]);
  const propertyDependencies = Object.fromEntries(links) as Record<string, string[]>;
  return resource(type, Object.fromEntries(given), { name, propertyDependencies });
});

/** Values that programs do have, by which rules change their mind. */
const likely: readonly unknown[] = [
  ...[0, 1, 2, 5, "0", true, false, "true", [], {}, null, ["*"], "*"],
  ...["g5.xlarge", "p4d.24xlarge", "t3.medium", "SPOT", "ON_DEMAND", "CUSTOM", "ap-northeast-2a", "ap-northeast-2c"],
  ...["AL2023_x86_64_STANDARD", "AL2023_x86_64_NVIDIA", "BOTTLEROCKET_x86_64_NVIDIA", "DEFAULT", "PREFER_NO_SCHEDULE"],
  ...["gpu-operator", "nvidia-device-plugin", "cluster-autoscaler", "coredns", "eks-node-monitoring-agent"],
  ...["RollingUpdate", "Recreate", "25%", "plain", "from-template", "ingress", "egress", "-1", "0.0.0.0/0"],
];

type Place = readonly [resource: number, path: readonly Key[]];
const places: readonly Place[] = wired.flatMap(({ properties }, index) =>
  pathsOf(properties).map((path): Place => [index, path]),
);

/** A stack with a value at a place, as far as the place is still there. */
export function withPlace(stack: readonly AnalyzedResource[], [index, path]: Place, put: unknown): AnalyzedResource[] {
  return stack.map((one, at) =>
    at === index ? { ...one, properties: withValue(one.properties, path, put) as Record<string, unknown> } : one,
  );
}

/** Some places of the wired stack. */
export const somePlaces = fc.array(fc.constantFrom(...places), { minLength: 1, maxLength: 4 });

/** The wired stack with some of its values changed, mostly to likely ones. */
export const spoiltStack: fc.Arbitrary<AnalyzedResource[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...places),
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...likely) }, fc.constantFrom(...hostileValues)),
    ),
    { maxLength: 6 },
  )
  .map((changes) => changes.reduce((stack, [place, put]) => withPlace(stack, place, put), [...wired]));

/** Every rule as a mandatory one, so that advice in a rule differs from its faults. */
const strict: Pack = { ...lab, rules: lab.rules.map(({ rule }) => ({ rule, level: "mandatory" })) };
export const stackRules = strict.rules.filter(({ rule }) => rule.scope === "stack").map(({ rule }) => rule);

/** What every rule says of a stack. */
export function sayAll(stack: readonly AnalyzedResource[]): Finding[] {
  return judge(strict, stack, { stack: "prod" });
}

/** The rules on a sum, which may report it at another resource once a summand is unknown. */
const sums: readonly string[] = ["gpu-vcpu-quota"];

/** What a rule says of a resource at its heaviest, by `RULE RESOURCE`, or by `RULE` for a sum. Passes are not among them. */
export function weights(findings: readonly Finding[]): ReadonlyMap<string, string> {
  const order = ["advice", "unknown", "fail"];
  const weightOf = ({ verdict, level }: Finding) =>
    verdict === "unknown" ? "unknown" : level === "mandatory" ? "fail" : "advice";
  const heaviest = new Map<string, string>();
  for (const finding of findings) {
    const key = sums.includes(finding.rule) ? finding.rule : `${finding.rule} ${finding.name}`;
    const [weight, before] = [weightOf(finding), heaviest.get(key)];
    if (before === undefined || order.indexOf(weight) > order.indexOf(before)) heaviest.set(key, weight);
  }
  return heaviest;
}
