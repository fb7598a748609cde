import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import {
  costSizes,
  environmentCost,
  GpuEnvironment,
  gpuEnvironmentProblems,
  type GpuEnvironmentArgs,
} from "../../../components";
import { inDays } from "../../../components/core/faults";
import type { RecordedResource, Recording } from "../../../planner/record/record";
import { brief } from "../../support/problems";
import { ofType, only, plan, reaches } from "../../support/plan";

const publicAccessCidrs = ["198.51.100.7/32"];

type Given = Partial<GpuEnvironmentArgs>;

/** The arguments of an environment with Karpenter. */
const onDemand = ({ gpuNodes, ...others }: Given = {}): GpuEnvironmentArgs => ({
  publicAccessCidrs,
  gpuNodes: { provisioner: "karpenter", ...gpuNodes },
  ...others,
});
const planned = (args: Given = {}): Promise<Recording> => plan(() => new GpuEnvironment("lab", onDemand(args)).outputs);
const problems = (args: Given) => brief(gpuEnvironmentProblems(onDemand(args)));

/** The same with EKS Auto Mode. */
const autoMode = ({ gpuNodes, ...others }: Given = {}): GpuEnvironmentArgs =>
  onDemand({ ...others, gpuNodes: { ...gpuNodes, provisioner: "autoMode" } });

const nodePool = "kubernetes:karpenter.sh/v1:NodePool";
const nodeClass = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass";

const specOf = ({ inputs }: RecordedResource) => inputs["spec"] as Record<string, unknown>;

test("Karpenter and a pool take the place of the node group", async () => {
  const recording = await planned({ gpuNodes: { instanceType: "g5.12xlarge", maxSize: 3, capacityType: "SPOT" } });
  const types = recording.resources.map(({ type }) => type);
  expect(types).not.toContain("eks-gpu-lab:index:GpuNodeGroup");
  expect(ofType(recording, "aws:eks/nodeGroup:NodeGroup").map(({ name }) => name)).toEqual(["lab-system"]);
  expect(only(recording, "eks-gpu-lab:index:Karpenter").inputs).toMatchObject({ install: true, nodeRepair: false });
  const pool = only(recording, nodePool);
  expect(specOf(pool)).toMatchObject({ limits: { "nvidia.com/gpu": "12" } });
  expect(JSON.stringify(specOf(pool))).toContain('"values":["spot"]');
});

test("keys of the nodes keep their meaning", async () => {
  const gpuNodes: Given["gpuNodes"] = {
    ...{ diskSizeGiB: 150, labels: { team: "a" }, maxPods: 20, localStorage: "raid0", azIndex: 1 },
    taints: [{ key: "team", value: "a", effect: "NO_EXECUTE" }],
    releaseVersion: "1.35.8-20260930",
  };
  const recording = await planned({ gpuNodes, tags: { cost: "b" } });
  const spec = specOf(only(recording, nodeClass));
  expect(spec).toMatchObject({
    amiSelectorTerms: [{ alias: "al2023@v20260930" }],
    blockDeviceMappings: [{ ebs: { volumeSize: "150Gi" } }],
    kubelet: { maxPods: 20 },
    instanceStorePolicy: "RAID0",
    tags: { cost: "b", "eks-gpu-lab/id": expect.anything() as unknown },
  });
  const { template } = specOf(only(recording, nodePool)) as { template: { metadata: object; spec: object } };
  const managed = await plan(() => void new GpuEnvironment("lab", { publicAccessCidrs, gpuNodes }));
  const group = ofType(managed, "aws:eks/nodeGroup:NodeGroup").find(({ name }) => name === "lab-gpu");
  expect(template.metadata).toMatchObject({ labels: group?.inputs["labels"] });
  expect(template.spec).toMatchObject({
    taints: [
      { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" },
      { key: "team", value: "a", effect: "NoExecute" },
    ],
  });
});

test("on destroy, the nodes end while Karpenter, the DNS and their lease are there", async () => {
  const recording = await planned({ lease: {} });
  const { urn, options } = only(recording, nodePool);
  expect(options).not.toHaveProperty("deletedWith");
  const needed = ["lab-karpenter-release", "lab-addons-coredns", "lab-lease-nightly-lab-gpu", "lab-vpc-nat"];
  const names = recording.resources.filter((one) => reaches(recording, urn, one.urn)).map(({ name }) => name);
  for (const name of needed) expect(names.some((one) => one.startsWith(name))).toBe(true);
});

test("deletedWith of the environment does not reach the pool: its instances would stay", async () => {
  const recording = await plan(() => {
    const one = new pulumi.ComponentResource("test:index:One", "one");
    return new GpuEnvironment("lab", onDemand(), { deletedWith: one });
  });
  expect(only(recording, nodePool).options).not.toHaveProperty("deletedWith");
});

test("the lease ends the pool at the times of the environment", async () => {
  const expiresAt = inDays(3, new Date());
  const lease = { nightly: "20:30", timeZone: "Asia/Seoul", expiresAt };
  const recording = await planned({ lease });
  expect(ofType(recording, "eks-gpu-lab:index:LabLease")).toEqual([]);
  expect(only(recording, "eks-gpu-lab:index:NodePoolLease").inputs).toMatchObject({ ...lease, nodePools: ["lab-gpu"] });
  expect(recording.outputs["lease"]).toContain("every day at 20:30 Asia/Seoul");
  expect(ofType(await planned(), "eks-gpu-lab:index:NodePoolLease")).toEqual([]);
});

test("outputs name the pool, and their commands are those of kubectl", async () => {
  const { outputs } = await planned({ gpuNodes: { maxSize: 4 } });
  expect(outputs).toMatchObject({
    gpuNodePoolName: "lab-gpu",
    gpuNodeGroupName: "none",
    gpuAutoscalingGroupName: "none",
    scaleUp: `kubectl patch nodepool lab-gpu --field-manager=pulumi-kubernetes --type=merge -p '{"spec":{"limits":{"nvidia.com/gpu":"4"}}}'`,
  });
  expect(outputs["scaleDown"]).toMatch(
    /"nvidia.com\/gpu":"0".*&& kubectl delete nodeclaims -l karpenter.sh\/nodepool=lab-gpu$/,
  );
  const managed = await plan(() => new GpuEnvironment("lab", { publicAccessCidrs }).outputs);
  expect(managed.outputs).not.toHaveProperty("gpuNodePoolName");
});

test("repair turns on that of Karpenter", async () => {
  const recording = await planned({ gpuHealth: { repair: {} } });
  expect(only(recording, "eks-gpu-lab:index:Karpenter").inputs).toMatchObject({ nodeRepair: true });
});

test("at rest it costs the same, with the alarm of the lease", () => {
  const usd = (args: GpuEnvironmentArgs) => environmentCost(costSizes(args, "ap-northeast-2")).atRest.usdPerMonth;
  // The alarm of the second line.
  expect(usd(onDemand({ lease: {} }))).toBeCloseTo(usd({ publicAccessCidrs, lease: {} }), 9);
});

test.for([
  ["karpenter", nodeClass],
  ["autoMode", "kubernetes:eks.amazonaws.com/v1:NodeClass"],
] as const)("with %s, the nodes have the tag by which a budget can select them", async ([provisioner, type]) => {
  const lease = { lab: "mine", budget: { amountPerMonth: 1, emails: ["lab@example.com"] } };
  const args = onDemand({ gpuNodes: { provisioner }, lease });
  const [problem] = gpuEnvironmentProblems(args);
  expect(problem).toMatchObject({ path: "lease.budget", why: expect.stringContaining("the tag lab") as unknown });
  const recording = await planned({ gpuNodes: { provisioner }, lease: { lab: "mine" } });
  expect(specOf(only(recording, type))).toMatchObject({ tags: { lab: "mine" } });
});

/** Every key without a meaning, in one environment. */
const meaningless: Given = {
  gpuNodes: {
    ...{ desiredSize: 1, minSize: 1, owner: "session", placementGroup: "close", efa: true, instanceType: "g5.8xlarge" },
    ...{ capacityType: "CAPACITY_BLOCK", capacityReservation: { id: "cr-0123456789abcdef0" } },
  },
  gpuHealth: {
    repair: {
      ...{ maxParallel: 2, maxUnhealthy: 2 },
      overrides: [{ condition: "Ready", reason: "Any", waitMinutes: 10, action: "Replace" }],
    },
  },
  lease: {
    hours: 3,
    budget: { amountPerMonth: 1, emails: ["lab@example.com"] },
  },
};

test("keys without a meaning are conflicts, all at once, and each says what to do", () => {
  const found = gpuEnvironmentProblems(onDemand(meaningless));
  expect(brief(found)).toEqual([
    "conflict gpuNodes.desiredSize",
    "conflict gpuNodes.minSize",
    "conflict gpuNodes.owner",
    "conflict gpuNodes.capacityType",
    "conflict gpuNodes.capacityReservation",
    "conflict gpuNodes.placementGroup",
    "conflict gpuNodes.efa",
    "conflict gpuHealth.repair.maxParallel",
    "conflict gpuHealth.repair.maxUnhealthy",
    "conflict gpuHealth.repair.overrides",
    "conflict lease.hours",
    "conflict lease.budget",
  ]);
  for (const { path, got, fix } of found) {
    expect(fix).toBe(`remove ${path}, or set gpuNodes.provisioner to "managedNodeGroup"`);
    expect(got).toBeDefined();
  }
  expect(brief(gpuEnvironmentProblems({ publicAccessCidrs, ...meaningless }))).toEqual([]);
});

test.for([
  ["a lease that is off", { lease: { enabled: false, hours: 3 } }, []],
  [
    "a type with a part of a GPU, which EC2 counts as none",
    { gpuNodes: { instanceType: "g6f.xlarge" } },
    ["conflict gpuNodes.instanceType"],
  ],
  [
    "an unknown provisioner",
    { gpuNodes: { provisioner: "spot" as "karpenter" } },
    ["not-allowed gpuNodes.provisioner"],
  ],
  [
    "a network without NAT",
    { network: { natGateways: "none", interfaceEndpoints: true } },
    ["conflict gpuNodes.provisioner"],
  ],
] as [string, Given, string[]][])("%s", ([, args, expected]) => {
  expect(problems(args)).toEqual(expected);
});

const prefixes = (recording: Recording) =>
  new Map(recording.resources.map(({ name, type, inputs }) => [`${type.split(":").at(-1)} ${name}`, inputs]));

/** What differs from a plan with a node group: what is only there, what is only here, and what has other inputs. */
async function differences(args: GpuEnvironmentArgs) {
  const made = (of: GpuEnvironmentArgs) => plan(() => void new GpuEnvironment("lab", of));
  const [before, after] = [await made({ publicAccessCidrs, lease: {} }), await made(args)].map(prefixes);
  if (!before || !after) throw new Error("no plan");
  const only = (here: Map<string, unknown>, there: Map<string, unknown>) =>
    [...here.keys()].filter((name) => !there.has(name)).sort();
  const same = [...before.keys()].filter((name) => after.has(name));
  const changed = same.filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)));
  return { removed: only(before, after), added: only(after, before), changed: changed.sort() };
}

/** What ends with the node group and its lease. */
const ofGroup = [
  ...["GpuNodeGroup lab-gpu", "LabLease lab-lease", "LaunchTemplate lab-gpu-launch-template"],
  ...[
    "MetricAlarm lab-lease-failed",
    "NodeGroup lab-gpu",
    "Queue lab-lease-failures",
    "QueuePolicy lab-lease-failures-policy",
  ],
  ...["Role lab-gpu-role", "Role lab-lease-role", "RolePolicy lab-lease-policy"],
  ...["cni", "registry", "ssm", "worker"].map((part) => `RolePolicyAttachment lab-gpu-role-${part}`),
  ...["Schedule lab-lease-nightly-gpu", "ScheduleGroup lab-lease-schedules"],
];
const ofLease = [
  ...["ClusterRole lab-lease-role", "ClusterRoleBinding lab-lease-binding", "CronJob lab-lease-nightly-lab-gpu"],
  ...["GpuNodePool lab-gpu", "NodePool lab-gpu", "NodePoolLease lab-lease", "ServiceAccount lab-lease"],
  // What ends the instances without the cluster.
  ...[
    ...["Document document", "EventRule events", "EventTarget events-target", "MetricAlarm failed"],
    ...["Queue failures", "QueuePolicy failures-policy", "Role role"],
    ...["RolePolicy policy", "Schedule nightly-instances", "ScheduleGroup schedules"],
  ].map((name) => name.replace(" ", " lab-lease-second-line-")),
];

test("EKS Auto Mode differs from a node group in these resources only", async () => {
  const { removed, added, changed } = await differences(autoMode({ lease: {} }));
  expect(removed.filter((name) => !name.startsWith("Tag "))).toEqual(ofGroup);
  const role = "RolePolicyAttachment lab-cluster-role-";
  const nodes = "lab-cluster-auto-nodes";
  expect(added).toEqual(
    [
      ...[...ofLease, "NodeClass lab-gpu-class", "RolePolicy lab-cluster-role-tags", `Role ${nodes}-role`],
      ...[`AccessEntry ${nodes}-access`, `AccessPolicyAssociation ${nodes}-access-policy`],
      ...["registry", "worker"].map((part) => `RolePolicyAttachment ${nodes}-role-${part}`),
      ...["block-storage", "compute", "load-balancing", "networking"].map((part) => `${role}${part}-policy`),
    ].sort(),
  );
  expect(changed).toEqual(["Cluster lab-cluster", "EksCluster lab-cluster", "GpuEnvironment lab"]);
});

test("Karpenter differs from a node group in these resources only", async () => {
  const { removed, added, changed } = await differences(onDemand({ lease: {} }));
  expect(removed.filter((name) => !name.startsWith("Tag "))).toEqual(ofGroup);
  const ofKarpenter = added.filter((name) => / lab-karpenter/.test(name));
  expect(ofKarpenter).toContain("Karpenter lab-karpenter");
  const others = added.filter((name) => !ofKarpenter.includes(name));
  const ofOperator = [
    "GpuOperator lab-gpu-operator",
    "Namespace lab-gpu-operator-namespace",
    "Release lab-gpu-operator",
  ];
  expect(others).toEqual([...ofLease, ...ofOperator, "EC2NodeClass lab-gpu-class"].sort());
  expect(changed).toEqual(["GpuEnvironment lab"]);
});

test("Karpenter has a device plugin, without which it ends no node, unless the program brings another", async () => {
  expect((await planned()).outputs["clusterFacts"]).toMatchObject({ gpuOperator: true });
  const without = await planned({ gpuOperator: { enabled: false } });
  expect(ofType(without, "eks-gpu-lab:index:GpuOperator")).toEqual([]);
  expect(without.outputs["clusterFacts"]).toMatchObject({ gpuOperator: false });
});

test("EKS Auto Mode starts the pool's nodes with the role that may join, and the keys keep their meaning", async () => {
  const args = autoMode({ gpuNodes: { diskSizeGiB: 150, labels: { team: "a" }, maxSize: 3 } });
  const recording = await plan(() => new GpuEnvironment("lab", args).outputs);
  const created = only(recording, "kubernetes:eks.amazonaws.com/v1:NodeClass");
  expect(specOf(created)).toMatchObject({
    ephemeralStorage: { size: "150Gi" },
    tags: { "eks-gpu-lab/id": expect.anything() as unknown },
  });
  const role = ofType(recording, "aws:iam/role:Role").find(({ name }) => name === "lab-cluster-auto-nodes-role");
  expect(reaches(recording, created.urn, role?.urn ?? "")).toBe(true);
  const entry = only(recording, "aws:eks/accessPolicyAssociation:AccessPolicyAssociation");
  expect(reaches(recording, created.urn, entry.urn)).toBe(true);
  const pool = only(recording, nodePool);
  expect(specOf(pool)).toMatchObject({
    limits: { "nvidia.com/gpu": "3" },
    template: { metadata: { labels: { team: "a" } }, spec: { nodeClassRef: { group: "eks.amazonaws.com" } } },
  });
  expect(recording.outputs).toMatchObject({
    ...{ gpuNodePoolName: "lab-gpu", gpuNodeGroupName: "none", gpuReleaseVersion: "none", amiAl2023Nvidia: "none" },
    clusterFacts: expect.objectContaining({ autoMode: true, gpuOperator: false }) as unknown,
    costPerGpuNode: "1.3522 USD per hour",
  });
});

test("what EKS Auto Mode decides itself is a conflict, all at once", () => {
  const gpuNodes: Given["gpuNodes"] = {
    ...{ releaseVersion: "1.35.8-20260930", localStorage: "raid0", maxPods: 20, tools: ["htop"] },
    ...{ desiredSize: 1 },
  };
  const found = gpuEnvironmentProblems(autoMode({ gpuNodes, gpuOperator: { enabled: true } }));
  expect(brief(found)).toEqual([
    "conflict gpuNodes.desiredSize",
    "conflict gpuNodes.releaseVersion",
    "conflict gpuNodes.localStorage",
    "conflict gpuNodes.maxPods",
    "conflict gpuNodes.tools",
    "conflict gpuOperator.enabled",
  ]);
  for (const { why } of found) expect(why).toContain("EKS Auto Mode");
  for (const { path, fix } of found) {
    const others = path === "gpuNodes.desiredSize" ? '"managedNodeGroup"' : '"karpenter" or "managedNodeGroup"';
    expect(fix).toBe(`remove ${path}, or set gpuNodes.provisioner to ${others}`);
  }
  expect(problems({ gpuNodes, gpuOperator: { enabled: true } })).toEqual(["conflict gpuNodes.desiredSize"]);
});

test("an adjustment of a part that the provisioner does not have is a conflict", () => {
  const transform: Given["transform"] = {
    ...{ gpuNodes: { nodeGroup: {} }, lease: { queue: {} } },
    ...{ gpuNodePool: { nodePool: {} }, nodePoolLease: { cronJob: {} } },
  };
  expect(problems({ transform })).toEqual(["conflict transform.gpuNodes", "conflict transform.lease"]);
  const [first, ...others] = gpuEnvironmentProblems({ publicAccessCidrs, transform });
  expect(brief(others)).toEqual(["conflict transform.nodePoolLease"]);
  expect(first).toMatchObject({
    path: "transform.gpuNodePool",
    why: "With gpuNodes.provisioner managedNodeGroup, this value would have no effect.",
    fix: "remove transform.gpuNodePool, or set transform.gpuNodes",
  });
});

// The first fix that a user reads must not be refused by the next message.
test.for([
  [{ efa: true }, "gpuNodes.efa"],
  [{ minSize: 1 }, "gpuNodes.minSize"],
  [{ desiredSize: 3 }, "gpuNodes.desiredSize"],
  [{ capacityType: "CAPACITY_BLOCK" }, "gpuNodes.capacityType"],
  [{ capacityType: "SPOT", capacityReservation: { id: "cr-0123456789abcdef0" } }, "gpuNodes.capacityReservation"],
  [{ provisioner: "autoMode", releaseVersion: "1.34.1-20260930" }, "gpuNodes.releaseVersion"],
  [{ provisioner: "autoMode", localStorage: "raid0", instanceType: "g5g.4xlarge" }, "gpuNodes.localStorage"],
  [{ provisioner: "autoMode", maxPods: 240 }, "gpuNodes.maxPods"],
] as [Given["gpuNodes"], string][])("%j has one fix: another provisioner", ([gpuNodes, path]) => {
  const found = gpuEnvironmentProblems(onDemand({ gpuNodes, gpuHealth: { engine: "operator" } }));
  const others = gpuNodes?.provisioner ? '"karpenter" or "managedNodeGroup"' : '"managedNodeGroup"';
  expect(found.map(({ fix }) => fix)).toEqual([`remove ${path}, or set gpuNodes.provisioner to ${others}`]);
  const outside: Given["network"] = { natGateways: "none", interfaceEndpoints: true };
  const first = gpuEnvironmentProblems(onDemand({ gpuNodes, network: outside }))[0];
  expect(first).toMatchObject({ path });
});

test("EKS Auto Mode needs no AMI release of a Kubernetes version that has none pinned", () => {
  const systemNodes = { releaseVersion: "1.34.1-20260930" };
  expect(problems({ kubernetesVersion: "1.34", systemNodes })).toEqual(["missing gpuNodes.releaseVersion"]);
  const gpuNodes = { provisioner: "autoMode" } as const;
  expect(problems({ kubernetesVersion: "1.34", systemNodes, gpuNodes })).toEqual([]);
});

test("a name that makes a CronJob's name too long is a problem before anything is created", async () => {
  const named = (name: string) => plan(() => void new GpuEnvironment(name, onDemand({ lease: {} })));
  await expect(named("a-name-of-17-char")).rejects.toThrow("Must be 1 to 16 lowercase letters");
  const longest = await named("a-name-of-16-chr");
  expect(only(longest, nodePool).name).toBe("a-name-of-16-chr-gpu");
});
