import { describe, expect, test } from "vitest";
import { gpuRolloutDeadlock as rule } from "../../../../policies/rules/workloads/gpu-rollout-deadlock";
import { group, podSpec, workload } from "../../support/gpu-workloads";
import { faultOn, now } from "../../support/lab-fault";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const strategy = "spec.strategy";

const rolling = (rollingUpdate: unknown) => ({ replicas: 2, strategy: { type: "RollingUpdate", rollingUpdate } });

describe("the rollout, where two replicas fill two nodes", () => {
  test.for([
    ["by default", { replicas: 2 }, ["fail"]],
    ["without a type", { replicas: 2, strategy: {} }, ["fail"]],
    ["Recreate", { replicas: 2, strategy: { type: "Recreate" } }, []],
    ["ends one first", rolling({ maxSurge: 0, maxUnavailable: 1 }), []],
    ["no surge, in percent", rolling({ maxSurge: "0%" }), []],
    ["may miss one besides", rolling({ maxSurge: 1, maxUnavailable: 1 }), []],
    ["may miss half", rolling({ maxUnavailable: "50%" }), []],
    ["may miss a little, which is rounded to none", rolling({ maxUnavailable: "49%" }), ["fail"]],
    ["as texts", rolling({ maxSurge: "1", maxUnavailable: "0" }), ["fail"]],
    ["replicas as a text", { replicas: "2" }, ["fail"]],
    ["no replicas", { replicas: 0 }, []],
    ["fewer than the nodes", { replicas: 1 }, []],
    ["more than the nodes", { replicas: 3 }, ["fail"]],
    ["four may miss one", { replicas: 4 }, []],
    ["three may not", { replicas: 3, strategy: { rollingUpdate: { maxUnavailable: "25%" } } }, ["fail"]],
    ["what Kubernetes refuses", rolling({ maxUnavailable: "some" }), []],
    ["replicas unknown", { replicas: unknown }, ["unknown spec.replicas"]],
    ["strategy unknown", { replicas: 2, strategy: unknown }, [`unknown ${strategy}`]],
    ["strategy unknown, room enough", { replicas: 1, strategy: unknown }, []],
    ["type unknown", { replicas: 2, strategy: { type: unknown } }, [`unknown ${strategy}.type`]],
    [
      "missing ones unknown",
      rolling({ maxUnavailable: unknown }),
      [`unknown ${strategy}.rollingUpdate.maxUnavailable`],
    ],
    ["surge unknown", rolling({ maxSurge: unknown }), [`unknown ${strategy}.rollingUpdate.maxSurge`]],
    ["surge unknown, may miss one", rolling({ maxSurge: unknown, maxUnavailable: 1 }), []],
    ["replicas unknown, may miss one", { ...rolling({ maxUnavailable: 1 }), replicas: unknown }, []],
  ] as const)("%s", ([, spec, expected]) => {
    const said = verdicts(rule, [workload(spec), group(2)]);
    expect(said).toEqual(expected.map((word) => (word === "fail" ? `fail ${strategy}` : word)));
  });
});

describe("the GPUs of the pods", () => {
  const containers = (...gpus: unknown[]) =>
    gpus.map((number) => ({ resources: { limits: { "nvidia.com/gpu": number } } }));
  const limits = "spec.template.spec.containers[0].resources.limits";
  test.for([
    ["one", podSpec(1), ["fail"]],
    ["as a text", podSpec("1"), ["fail"]],
    ["in thousandths", podSpec("1000m"), ["fail"]],
    ["none", podSpec(0), []],
    ["no limit", { containers: [{}] }, []],
    ["none of a container that starts before", { initContainers: containers(1), containers: [{}] }, ["fail"]],
    ["a partition is not counted", { containers: [{ resources: { limits: { "nvidia.com/mig-1g.5gb": 1 } } }] }, []],
    ["unknown", podSpec(unknown), [`unknown ${limits}["nvidia.com/gpu"]`]],
    ["containers unknown", { containers: unknown }, ["unknown spec.template.spec.containers"]],
    ["no pod", null, []],
  ] as const)("%s", ([, pod, expected]) => {
    const said = verdicts(rule, [workload({ replicas: 2 }, pod), group(2)]);
    expect(said).toEqual(expected.map((word) => (word === "fail" ? `fail ${strategy}` : word)));
  });

  test("pods that do not fit side by side leave GPUs over", () => {
    const twoOf = (gpus: number) => workload({ replicas: 1 }, podSpec(gpus));
    const four = group(1, { instanceTypes: ["g5.12xlarge"] });
    expect(verdicts(rule, [twoOf(2), four])).toEqual([]);
    expect(verdicts(rule, [twoOf(3), four])).toEqual([`fail ${strategy}`]);
  });
});

describe("the nodes", () => {
  const labels = { tier: "training" };
  const four = { instanceTypes: ["g5.12xlarge"] };
  const pinned = { "kubernetes.io/hostname": "ip-10-0-0-1" };
  const template = "aws:ec2/launchTemplate:LaunchTemplate";
  const lt = resource(template, { instanceType: "g5.xlarge" }, { name: "lt" });
  const fromTemplate = resource(
    nodeGroup,
    { amiType: "AL2023_x86_64_NVIDIA", scalingConfig: { maxSize: 1 } },
    { name: "gpu", propertyDependencies: { launchTemplate: [lt.urn] } },
  );
  const one = (selector: unknown = {}) => workload({ replicas: 1 }, podSpec(1, selector));
  const fail = [`fail ${strategy}`];
  const advise = [`advise ${strategy}`];
  test.for([
    ["one", [one(), group(1)], fail],
    ["two", [one(), group(2)], []],
    ["two groups", [one(), group(1), group(1, {}, "b")], []],
    ["a group of other labels", [one({ tier: "gpu" }), group(1), group(1, { labels }, "b")], fail],
    ["a group without labels", [one({ tier: "gpu" }), group(1), group(1, { labels: undefined }, "b")], fail],
    ["a label that others set", [one({ "nvidia.com/gpu.product": "NVIDIA-A10G" }), group(1), group(1, {}, "b")], []],
    ["a group without GPUs", [one(), group(1), group(4, { instanceTypes: ["t3.medium"] }, "b")], fail],
    ["nodes of four GPUs", [one(), group(1, four)], []],
    ["the instance type of a launch template", [one(), lt, fromTemplate], fail],
    ["pinned to one node of many", [one(pinned), group(9)], fail],
    ["pinned to a node of four GPUs", [one(pinned), group(1, four)], []],
    ["pinned to one node of two groups", [one(pinned), group(1), group(1, {}, "b")], fail],
    ["pinned, no group known", [one(pinned)], advise],
    ["no group", [one()], advise],
    ["no group of its labels", [one({ tier: "other" }), group(9)], advise],
    ["no group, Recreate", [workload({ strategy: { type: "Recreate" } })], []],
    ["Karpenter", [one(), group(1), resource("kubernetes:karpenter.sh/v1:NodePool", {}, { name: "p" })], []],
    ["Karpenter, pinned", [one(pinned), group(1), resource("kubernetes:karpenter.sh/v1:NodePool", {})], fail],
    ["a component of @pulumi/eks", [one(), resource("eks:index:ManagedNodeGroup", { ...group(1).properties })], fail],
    ["one without inputs, and what it makes", [one(), resource("eks:index:ManagedNodeGroup", {}), group(1)], fail],
    ["size unknown", [one(), group(unknown)], ["unknown scalingConfig.maxSize"]],
    ["size unknown, others enough", [one(), group(unknown), group(2, {}, "b")], []],
    ["size that is none", [one(), group("x")], ["unknown scalingConfig.maxSize"]],
    [
      "type unknown",
      [one(), group(1, { instanceTypes: [unknown], amiType: "X_NVIDIA" })],
      ["unknown instanceTypes[0]"],
    ],
    ["an unknown instance type", [one(), group(1, { instanceTypes: ["g99.xlarge"] })], ["unknown instanceTypes[0]"]],
    ["labels unknown", [one({ tier: "gpu" }), group(2, { labels: unknown })], ["unknown labels"]],
    ["a label unknown", [one({ tier: "gpu" }), group(1, { labels: { tier: unknown } })], ["unknown labels.tier"]],
    ["a label wanted unknown", [one({ tier: unknown }), group(1)], ["unknown spec.template.spec.nodeSelector.tier"]],
    ["selector unknown", [one(unknown), group(2)], ["unknown spec.template.spec.nodeSelector"]],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources)).toEqual(expected);
  });
});

describe("which nodes the pods may run on", () => {
  const subnet = resource("aws:ec2/subnet:Subnet", { availabilityZone: "us-east-1a" }, { name: "subnet" });
  const big = { instanceTypes: ["p4d.24xlarge"], nodeGroupName: "big", capacityType: "SPOT", labels: {} };
  const small = group(1, {
    labels: {},
    nodeGroupName: "small",
    subnetIds: ["subnet-0"],
  });
  const groups = [{ ...small, propertyDependencies: { subnetIds: [subnet.urn] } }, group(4, big, "big"), subnet];
  const taint = (effect: unknown, key = "team") => [{ key, value: "vision", effect }];
  const terms = (...expressions: unknown[]) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: expressions.map((one) => ({ matchExpressions: one })),
      },
    },
  });
  const term = (key: string, operator: string, ...values: unknown[]) => ({ key, operator, values });
  const of = (more: object) => workload({ replicas: 1 }, { ...podSpec(1, {}), ...more });
  const select = (key: string, value: unknown) => of({ nodeSelector: { [key]: value } });
  const affinity = (...expressions: unknown[]) => of({ affinity: terms(...expressions) });
  const [fail, advise] = [[`fail ${strategy}`], [`advise ${strategy}`]];
  const [type, zone] = ["node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"];
  const named = "eks.amazonaws.com/nodegroup";

  test.for([
    ["no selector", of({}), []],
    ["the type of the small group", select(type, "g5.xlarge"), fail],
    ["the type of the big one", select(type, "p4d.24xlarge"), []],
    ["a type of neither", select(type, "g4dn.xlarge"), advise],
    ["the type's old label", select("beta.kubernetes.io/instance-type", "g5.xlarge"), fail],
    ["the small group by name", select(named, "small"), fail],
    ["a group of elsewhere", select(named, "other"), advise],
    ["a name that is unknown", select(named, unknown), [`unknown spec.template.spec.nodeSelector["${named}"]`]],
    ["the market of the small group", select("eks.amazonaws.com/capacityType", "ON_DEMAND"), fail],
    ["the market of the big one", select("eks.amazonaws.com/capacityType", "SPOT"), []],
    ["the other processor", select("kubernetes.io/arch", "arm64"), advise],
    ["this processor", select("kubernetes.io/arch", "amd64"), []],
    ["Windows", select("kubernetes.io/os", "windows"), advise],
    ["one GPU a node", select("nvidia.com/gpu.count", "1"), fail],
    ["any GPU", select("nvidia.com/gpu.present", "true"), []],
    ["the model of the small group", select("nvidia.com/gpu.product", "NVIDIA-A10G"), fail],
    ["the model, shared", select("nvidia.com/gpu.product", "NVIDIA-A10G-SHARED"), fail],
    ["the model of the big one", select("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB"), []],
    ["a model like it", select("nvidia.com/gpu.product", "NVIDIA-A10"), advise],
    ["the zone of the small group, the other unknown", select(zone, "us-east-1a"), [`unknown labels["${zone}"]`]],
    ["value open", select("nvidia.com/cuda.driver.major", "580"), ['unknown labels["nvidia.com/cuda.driver.major"]']],
    ["a label that no node has", select("team", "vision"), advise],
    ["null", select("team", null), []],
    ["a type by affinity", affinity([term(type, "In", "g5.xlarge", "g5.2xlarge")]), fail],
    ["another type by affinity", affinity([term(type, "NotIn", "p4d.24xlarge")]), fail],
    ["one of two terms", affinity([term(type, "In", "g5.xlarge")], [term(type, "In", "p4d.24xlarge")]), []],
    ["both of a term", affinity([term(type, "Exists"), term(named, "In", "small")]), fail],
    ["a label that is not there", affinity([term("team", "DoesNotExist")]), []],
    ["a label that is not there, and so no value", affinity([term("team", "NotIn", "x")]), []],
    ["a label that is there", affinity([term(named, "DoesNotExist")]), advise],
    ["a label that must be there", affinity([term("team", "Exists")]), advise],
    ["an undetermined operator", affinity([term(named, "Gt", "1")]), []],
    ["no term", affinity(), advise],
    [
      "the values unknown",
      affinity([{ ...term(type, "In"), values: unknown }]),
      [
        "unknown spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values",
      ],
    ],
  ] as const)("%s", ([, pods, expected]) => {
    expect(verdicts(rule, [pods, ...groups])).toEqual(expected);
  });

  test("both zones are known", () => {
    const others = resource("aws:ec2/subnet:Subnet", { availabilityZone: "us-east-1b" }, { name: "other" });
    const links = { propertyDependencies: { subnetIds: [others.urn] } };
    const there = { ...group(4, { ...big, subnetIds: ["subnet-1"] }, "big"), ...links };
    const said = (name: string) =>
      verdicts(rule, [select(zone, name), ...groups.filter(({ name: one }) => one !== "big"), there, others]);
    expect([said("us-east-1a"), said("us-east-1b"), said("us-east-1c")]).toEqual([fail, [], advise]);
  });

  test.for([
    ["one that the pods do not tolerate", taint("NO_SCHEDULE"), {}, fail],
    ["one that evicts", taint("NO_EXECUTE"), {}, fail],
    ["a soft one", taint("PREFER_NO_SCHEDULE"), {}, []],
    ["one that they tolerate", taint("NO_SCHEDULE"), { tolerations: [{ key: "team", operator: "Exists" }] }, []],
    ["one of another value", taint("NO_SCHEDULE"), { tolerations: [{ key: "team", value: "speech" }] }, fail],
    ["one that EKS lets pods with GPUs tolerate", taint("NO_SCHEDULE", "nvidia.com/gpu"), {}, []],
    ["one of that key that evicts", taint("NO_EXECUTE", "nvidia.com/gpu"), {}, fail],
    ["one of another resource", taint("NO_SCHEDULE", "vpc.amazonaws.com/efa"), {}, fail],
    ["an unknown one", unknown, {}, ["unknown taints"]],
    ["tolerations unknown", taint("NO_SCHEDULE"), { tolerations: unknown }, ["unknown spec.template.spec.tolerations"]],
  ] as const)("a taint of the second group: %s", ([, taints, more, expected]) => {
    expect(verdicts(rule, [of(more), group(1), group(4, { taints }, "tainted")])).toEqual(expected);
  });

  test("what may be enough is not known to be too little", () => {
    const later = group(4, { labels: unknown }, "later");
    const tier = { nodeSelector: { tier: "gpu" } };
    expect(verdicts(rule, [of(tier), group(1), later])).toEqual(["unknown labels"]);
    expect(verdicts(rule, [of(tier), group(2), later])).toEqual([]);
    expect(verdicts(rule, [of(tier), group(1), group(0, { labels: unknown }, "later")])).toEqual(fail);
  });
});

describe("other workloads", () => {
  const statefulSet = "kubernetes:apps/v1:StatefulSet";
  const job = "kubernetes:batch/v1:Job";
  const mine = workload({ replicas: 1 });
  test.for([
    ["that hold the rest", [workload({ replicas: 1 }, podSpec(), statefulSet, "b")], [`fail ${strategy}`]],
    ["without GPUs", [workload({ replicas: 9 }, { containers: [{}] }, statefulSet, "b")], []],
    ["for other nodes", [workload({ replicas: 9 }, podSpec(1, { tier: "x" }), statefulSet, "b")], []],
    ["of unknown number", [workload({ replicas: unknown }, podSpec(), statefulSet, "b")], ["unknown spec.replicas"]],
    ["of bare pods", [resource("kubernetes:core/v1:Pod", { spec: podSpec() }, { name: "b" })], [`fail ${strategy}`]],
    ["that are old", [workload({}, podSpec(), "kubernetes:core/v1:ReplicationController", "b")], [`fail ${strategy}`]],
    ["on every node", [workload({}, podSpec(), "kubernetes:apps/v1:DaemonSet", "b")], [`fail ${strategy}`]],
    ["on every node, without GPUs", [workload({}, podSpec(0), "kubernetes:apps/v1:DaemonSet", "b")], []],
    ["on every other node", [workload({}, podSpec(1, { tier: "x" }), "kubernetes:apps/v1:DaemonSet", "b")], []],
    ["that end", [workload({}, podSpec(), job, "b")], [`advise ${strategy}`]],
    ["that end, side by side", [workload({ parallelism: 2 }, podSpec(), job, "b")], [`advise ${strategy}`]],
    ["that have not begun", [workload({ suspend: true }, podSpec(), job, "b")], []],
    ["that may not have begun", [workload({ suspend: unknown }, podSpec(), job, "b")], ["unknown spec.suspend"]],
    ["that end, unknown", [workload({ parallelism: unknown }, podSpec(), job, "b")], ["unknown spec.parallelism"]],
  ] as const)("%s", ([, others, expected]) => {
    expect(verdicts(rule, [mine, group(2), ...others])).toEqual(expected);
  });

  test("that may run elsewhere too hold nothing for certain", () => {
    const anywhere = workload({ replicas: 1 }, podSpec(1, {}), statefulSet, "b");
    expect(verdicts(rule, [mine, group(2), group(1, { labels: { tier: "x" } }, "x"), anywhere])).toEqual([]);
  });
});

test.for([
  ["a GPU for each pod", {}, [`fail ${strategy}`]],
  ["time slices", { timeSlicing: { replicas: 4 } }, []],
  ["MPS", { mps: { replicas: 2 } }, []],
  ["unknown", { timeSlicing: { replicas: unknown } }, ["unknown timeSlicing.replicas"]],
] as const)("what the GpuOperator component shares: %s", ([, args, expected]) => {
  const operator = resource("eks-gpu-lab:index:GpuOperator", args, { name: "operator" });
  expect(verdicts(rule, [workload({ replicas: 1 }), group(1), operator])).toEqual(expected);
});

const release = "kubernetes:helm.sh/v3:Release";
const slices = (replicas: number, way = "timeSlicing") =>
  `version: v1\nsharing:\n  ${way}:\n    resources:\n      - { name: nvidia.com/gpu, replicas: ${replicas} }\n`;
const pluginChart = (map: unknown) =>
  [release, { chart: "nvidia-device-plugin", values: { config: { map } } }] as const;

test.for([
  ["the device plugin's chart", ...pluginChart({ default: slices(4) }), []],
  ["by MPS", ...pluginChart({ default: slices(2, "mps") }), []],
  ["the largest of several files", ...pluginChart({ whole: "version: v1", shared: slices(2) }), []],
  ["too few", ...pluginChart({ default: slices(1) }), [`fail ${strategy}`]],
  ["no YAML", ...pluginChart({ default: "timeSlicing: [" }), [`fail ${strategy}`]],
  ["no sharing", ...pluginChart(undefined), [`fail ${strategy}`]],
  ["a file that is unknown", ...pluginChart({ default: unknown }), ["unknown values.config.map.default"]],
  [
    "the operator's chart",
    release,
    { chart: "nvidia/gpu-operator", values: { devicePlugin: { config: { name: "it", data: { any: slices(4) } } } } },
    [],
  ],
  ["another chart", release, { chart: "web", values: { config: { map: { any: slices(4) } } } }, [`fail ${strategy}`]],
  ["a ConfigMap", "kubernetes:core/v1:ConfigMap", { data: { any: slices(4) } }, []],
  ["an unknown ConfigMap", "kubernetes:core/v1:ConfigMap", { data: unknown }, [`fail ${strategy}`]],
] as const)("what is shared without the component: %s", ([, type, properties, expected]) => {
  const stack = [workload({ replicas: 1 }), group(1), resource(type, properties, { name: "sharing" })];
  expect(verdicts(rule, stack)).toEqual(expected);
});

test("shares can be configured, and a name can be exempt", () => {
  const stack = [workload({ replicas: 1 }), group(1)];
  expect(verdicts(rule, stack, { policyConfig: { [rule.id]: { timeSlicing: 2 } } })).toEqual([]);
  expect(verdicts(rule, stack, { policyConfig: { [rule.id]: { exempt: ["it"] } } })).toEqual([]);
});

describe("a DaemonSet", () => {
  const set = (maxSurge: unknown, gpus: unknown = 1) =>
    workload({ updateStrategy: { rollingUpdate: { maxSurge } } }, podSpec(gpus), "kubernetes:apps/v1:DaemonSet");
  const path = "spec.updateStrategy.rollingUpdate.maxSurge";
  test.for([
    ["that ends a pod first", set(0), group(2), []],
    ["by default", set(undefined), group(2), []],
    ["that surges", set(1), group(2), [`fail ${path}`]],
    ["that surges by a share", set("10%"), group(2), [`fail ${path}`]],
    ["that surges on nodes of four GPUs", set(1, 2), group(2, { instanceTypes: ["g5.12xlarge"] }), []],
    ["without GPUs", set(1, 0), group(2), []],
    [
      "that waits for people",
      workload(
        { updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: 1 } } },
        podSpec(),
        "kubernetes:apps/v1:DaemonSet",
      ),
      group(2),
      [],
    ],
    ["surge unknown", set(unknown), group(2), [`unknown ${path}`]],
    ["no GPU group", set(1), group(2, { instanceTypes: ["t3.medium"] }), []],
  ] as const)("%s", ([, daemonSet, nodes, expected]) => {
    expect(verdicts(rule, [daemonSet, nodes])).toEqual(expected);
  });
});

test("in the lab that is about it, while its fault is on", () => {
  const said = (config: Readonly<Record<string, string>>, stack = "gpu-rollout") =>
    verdicts(rule, [workload({ replicas: 1 }), group(1)], { stack, now, config });
  expect(said(faultOn)).toEqual([]);
  expect(said({})).toEqual([`fail ${strategy}`]);
  expect(said(faultOn, "prod")).toEqual([`fail ${strategy}`]);
});

test("a secret is not printed", () => {
  const selector = { tier: "gpu", "kubernetes.io/hostname": "hunter2" };
  const said = findings(rule, [workload({ replicas: 1 }, podSpec(1, selector)), group(1, { tags: { a: "hunter2" } })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const other = workload({ replicas: 1 }, podSpec(), "kubernetes:apps/v1:StatefulSet", "b");
  const message = (...resources: ReturnType<typeof resource>[]) => findings(rule, resources)[0]?.message;
  expect(message(workload({}), group(1))).toMatchInlineSnapshot(`
    "spec.strategy: got nothing, which means a rollout that starts new pods before it stops old ones, with replicas 1. Its GPU nodes have capacity for at most 1 of these pods, so the new pod stays Pending, and the old pod keeps the GPU forever.
    fix: set spec.strategy.type to Recreate, or spec.strategy.rollingUpdate to maxSurge 0 and maxUnavailable 1; if time-slicing is configured outside the stack, set "timeSlicing" in the policy configuration"
  `);
  expect(message(workload({ replicas: 1 }), group(2), other)).toMatchInlineSnapshot(`
    "spec.strategy: got nothing, which means a rollout that starts new pods before it stops old ones, with replicas 1. Its GPU nodes have capacity for at most 2 of these pods, minus 1 GPU for other workloads, so the new pod stays Pending, and the old pod keeps the GPU forever.
    fix: set spec.strategy.type to Recreate, or spec.strategy.rollingUpdate to maxSurge 0 and maxUnavailable 1; if time-slicing is configured outside the stack, set "timeSlicing" in the policy configuration"
  `);
  expect(message(workload({ replicas: 1 }))).toMatchInlineSnapshot(`
    "spec.strategy: got nothing, which means a rollout that starts new pods before it stops old ones, with replicas 1. Without a free GPU the new pod stays Pending, and the old pod keeps the GPU forever.
    fix: set spec.strategy.type to Recreate, or spec.strategy.rollingUpdate to maxSurge 0 and maxUnavailable 1; if time-slicing is configured outside the stack, set "timeSlicing" in the policy configuration"
  `);
  const set = workload(
    { updateStrategy: { rollingUpdate: { maxSurge: 1 } } },
    podSpec(),
    "kubernetes:apps/v1:DaemonSet",
  );
  expect(message(set, group(1))).toMatchInlineSnapshot(`
    "spec.updateStrategy.rollingUpdate.maxSurge: got more than 0. The new pod needs the GPUs of the node while the old pod still uses them. It stays Pending, and the rollout never ends.
    fix: remove spec.updateStrategy.rollingUpdate.maxSurge, and set maxUnavailable to 1"
  `);
});

/** @see https://argo-rollouts.readthedocs.io/en/stable/features/specification/ */
test.for([
  ["the defaults of a canary", { canary: {} }, true],
  ["steps", { canary: { steps: [{ setWeight: 20 }] } }, true],
  ["a canary that ends one first", { canary: { maxSurge: 0, maxUnavailable: 1 } }, false],
  ["a canary that moves traffic", { canary: { maxSurge: 0, maxUnavailable: 1, trafficRouting: { alb: {} } } }, true],
  ["blue and green", { blueGreen: { activeService: "app" } }, true],
] as const)("a Rollout of Argo with %s: %s", ([, strategy, isStuck]) => {
  const of = (replicas: number) => ({
    ...workload({ replicas, strategy }),
    type: "kubernetes:argoproj.io/v1alpha1:Rollout",
  });
  expect(verdicts(rule, [of(2), group(2)])).toEqual(isStuck ? ["fail spec.strategy"] : []);
  expect(verdicts(rule, [of(1), group(2)])).toEqual([]);
});

/** @see https://openkruise.io/docs/user-manuals/cloneset/ */
test.for([
  ["its defaults", {}, false],
  ["a surge", { maxSurge: 1 }, false],
  ["a surge, and none that may be missing", { maxSurge: 1, maxUnavailable: 0 }, true],
  ["a surge in place", { type: "InPlaceIfPossible", maxSurge: "10%", maxUnavailable: "0%" }, true],
  ["a part of a pod that may be missing", { maxSurge: 1, maxUnavailable: "1%" }, false],
] as const)("a CloneSet with %s: %s", ([, updateStrategy, isStuck]) => {
  const set = workload({ replicas: 2, updateStrategy }, podSpec(), "kubernetes:apps.kruise.io/v1alpha1:CloneSet");
  expect(verdicts(rule, [set, group(2)])).toEqual(isStuck ? ["fail spec.updateStrategy"] : []);
});

describe("an object in another resource counts like one of its own", () => {
  const { properties } = workload({ replicas: 2 });
  const object = { apiVersion: "apps/v1", kind: "Deployment", ...properties };
  const rolloutObject = { ...object, apiVersion: "argoproj.io/v1alpha1", kind: "Rollout" };
  const set = (given: object) => ({ metadata: { name: "it" }, spec: given });
  test.for([
    ["a List", "core/v1:List", { items: [object] }, "items[0]"],
    ["a List of a custom resource", "v1:List", { items: [rolloutObject] }, "items[0]"],
    ["a DeploymentList", "apps/v1:DeploymentList", { items: [properties] }, "items[0]"],
    [
      "Crossplane",
      "kubernetes.crossplane.io/v1alpha2:Object",
      set({ forProvider: { manifest: object } }),
      "spec.forProvider.manifest",
    ],
    [
      "Open Cluster Management",
      "work.open-cluster-management.io/v1:ManifestWork",
      set({ workload: { manifests: [object] } }),
      "spec.workload.manifests[0]",
    ],
    [
      "kro",
      "kro.run/v1alpha1:ResourceGraphDefinition",
      set({ resources: [{ id: "a", template: object }] }),
      "spec.resources[0].template",
    ],
    [
      "Karmada",
      "policy.karmada.io/v1alpha1:Work",
      set({ workload: { manifests: [{ ...object, kind: "List", apiVersion: "v1", spec: {}, items: [object] }] } }),
      "spec.workload.manifests[0].items[0]",
    ],
    ["OpenShift", "template.openshift.io/v1:Template", { objects: [object] }, "objects[0]"],
  ] as const)("%s", ([, type, inputs, path]) => {
    const holder = resource(`kubernetes:${type}`, inputs, { name: "holder" });
    expect(verdicts(rule, [holder, group(2)])).toEqual([`fail ${path}.spec.strategy`]);
    expect(verdicts(rule, [holder, group(9)])).toEqual([]);
    expect(verdicts(rule, [workload({ replicas: 1 }), holder, group(3)])).toContain("fail spec.strategy");
  });

  test.for([
    [
      "a reference to one",
      "autoscaling/v2:HorizontalPodAutoscaler",
      set({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } }),
    ],
    ["a pattern", "kyverno.io/v1:ClusterPolicy", set({ rules: [{ generate: { data: object } }] })],
    ["values of a chart", "helm.toolkit.fluxcd.io/v2:HelmRelease", set({ values: { extraObjects: [object] } })],
    ["a text", "core/v1:ConfigMap", { data: { "a.json": JSON.stringify(object) } }],
  ] as const)("but not %s", ([, type, inputs]) => {
    const holder = resource(`kubernetes:${type}`, inputs, { name: "holder" });
    expect(verdicts(rule, [holder, group(2)])).toEqual([]);
  });
});
