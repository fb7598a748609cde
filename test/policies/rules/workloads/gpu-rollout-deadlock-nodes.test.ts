import { describe, expect, test } from "vitest";
import { gpuRolloutDeadlock as rule } from "../../../../policies/rules/workloads/gpu-rollout-deadlock";
import { group, podSpec, workload } from "../../support/gpu-workloads";
import { resource, unknown, verdicts } from "../../support/verdicts";

const strategy = "spec.strategy";
const fail = [`fail ${strategy}`];
const advise = [`advise ${strategy}`];
const select = (key: string, value: string) => workload({ replicas: 1 }, podSpec(1, { [key]: value }));

describe("labels of the only group", () => {
  const waitsFor = (...paths: string[]) => [`unknown ${paths.join(", ")}`];
  const gpusOfNode = "nvidia.com/gpu.count";
  const model = "nvidia.com/gpu.product";
  test.for([
    ["its own", select("tier", "gpu"), {}, fail],
    ["a longer value than its own", select("tier", "gpu-lab"), {}, advise],
    ["Linux", select("kubernetes.io/os", "linux"), {}, fail],
    ["true is no system", select("kubernetes.io/os", "true"), {}, advise],
    ["a model of several words", select(model, "NVIDIA-RTX-PRO-4500"), { instanceTypes: ["g7.2xlarge"] }, fail],
    ["a model written together", select(model, "NVIDIA-RTXPRO4500"), { instanceTypes: ["g7.2xlarge"] }, advise],
    ["a name that AWS is to choose", select("eks.amazonaws.com/nodegroup", "gpu"), {}, waitsFor("nodeGroupName")],
    ["a domain of one's own", select("example.com/team", "vision"), {}, advise],
    ["a domain that begins like NVIDIA's", select("nvidia.com.example.org/team", "vision"), {}, advise],
    ["a domain that ends like NVIDIA's", select("mynvidia.com/team", "vision"), {}, advise],
    ["a domain of Kubernetes", select("node.k8s.io/team", "vision"), {}, waitsFor('labels["node.k8s.io/team"]')],
    ["a domain and no name", select("nvidia.com", "vision"), {}, advise],
    [
      "the GPUs of an unknown type",
      select(gpusOfNode, "1"),
      { instanceTypes: [unknown], amiType: "AL2023_x86_64_NVIDIA" },
      waitsFor("instanceTypes[0]"),
    ],
    [
      "the model of a type without GPUs, under an AMI for them",
      select(model, "NVIDIA-A10G"),
      { instanceTypes: ["m5.large"], amiType: "AL2023_x86_64_NVIDIA" },
      waitsFor(`labels["${model}"]`),
    ],
  ] as const)("%s", ([, pods, more, expected]) => {
    expect(verdicts(rule, [pods, group(1, more)])).toEqual(expected);
  });
});

describe("zones of the only group", () => {
  const subnet = resource("aws:ec2/subnet:Subnet", { availabilityZone: "us-east-1a" }, { name: "subnet" });
  const inSubnets = (...subnetIds: string[]) => ({
    ...group(1, { subnetIds }),
    propertyDependencies: { subnetIds: [subnet.urn] },
  });
  const zone = "topology.kubernetes.io/zone";
  const old = "failure-domain.beta.kubernetes.io/zone";
  test.for([
    ["its zone", select(zone, "us-east-1a"), inSubnets("subnet-0"), fail],
    ["its zone by the old label", select(old, "us-east-1a"), inSubnets("subnet-0"), fail],
    ["another zone by the old label", select(old, "us-east-1b"), inSubnets("subnet-0"), advise],
    [
      "a subnet of elsewhere besides",
      select(zone, "us-east-1a"),
      inSubnets("subnet-0", "subnet-9"),
      [`unknown labels["${zone}"]`],
    ],
  ] as const)("%s", ([, pods, nodes, expected]) => {
    expect(verdicts(rule, [pods, nodes, subnet])).toEqual(expected);
  });
});

describe("affinity to the only group", () => {
  const demanding = (...nodeSelectorTerms: unknown[]) => {
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    return workload({ replicas: 1 }, { ...podSpec(1, {}), affinity: { nodeAffinity } });
  };
  const inTier = { matchExpressions: [{ key: "tier", operator: "In", values: ["gpu"] }] };
  const byName = [{ key: "metadata.name", operator: "In", values: ["ip-10-0-0-1"] }];
  const termPath =
    "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]";
  test.for([
    ["by its label", demanding(inTier), {}, fail],
    ["by single nodes: undetermined", demanding({ matchFields: byName }), {}, [`unknown ${termPath}.matchFields`]],
    ["by its label, or by single nodes", demanding({ matchFields: byName }, inTier), {}, fail],
    ["by a term that is a text", demanding("tier"), {}, advise],
    ["by a term of null", demanding(null), {}, advise],
    ["by a term that says nothing", demanding({}), {}, advise],
    ["by a term without any expression", demanding({ matchExpressions: [] }), {}, advise],
    ["by its label, with a term that says nothing", demanding({}, inTier), {}, fail],
    [
      "by a label that is not to be there, and is unknown",
      demanding({ matchExpressions: [{ key: "team", operator: "DoesNotExist" }] }),
      { labels: { team: unknown } },
      ["unknown labels.team"],
    ],
  ] as const)("%s", ([, pods, more, expected]) => {
    expect(verdicts(rule, [pods, group(1, more)])).toEqual(expected);
  });
});

test("GPUs of a group that names no instance type wait for one", () => {
  const nodes = group(9, { instanceTypes: undefined, amiType: "AL2023_x86_64_NVIDIA" });
  expect(verdicts(rule, [workload({ replicas: 1 }), nodes])).toEqual(["unknown instanceTypes"]);
});

test.for([
  ["50%", []],
  ["49%", fail],
  ["x49%", []],
  ["49%x", []],
  ["%", []],
  ["-1%", []],
  ["0.5%", []],
] as const)("of two replicas %s may be missing", ([maxUnavailable, expected]) => {
  const pods = workload({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable } } });
  expect(verdicts(rule, [pods, group(2)])).toEqual(expected);
});

describe("shares that charts and files state", () => {
  const resources = (count: number, last: number) =>
    Array.from({ length: count }, (_, index) => ({ name: "nvidia.com/gpu", replicas: index === count - 1 ? last : 1 }));
  const file = (count: number) => JSON.stringify({ sharing: { timeSlicing: { resources: resources(count, 4) } } });
  const release = (properties: Record<string, unknown>) =>
    resource("kubernetes:helm.sh/v3:Release", properties, { name: "release" });
  test.for([
    ["a chart that is none of NVIDIA's, of an unknown version", release({ chart: "web", version: unknown }), fail],
    ["a chart that is not NVIDIA's, with a text like a file", release({ chart: "web", description: file(1) }), fail],
    ["the hundredth resource of a file", resource("kubernetes:core/v1:ConfigMap", { data: { any: file(100) } }), []],
    ["no resource beyond", resource("kubernetes:core/v1:ConfigMap", { data: { any: file(101) } }), fail],
  ] as const)("%s", ([, stated, expected]) => {
    expect(verdicts(rule, [workload({ replicas: 1 }), group(1), stated])).toEqual(expected);
  });
});
