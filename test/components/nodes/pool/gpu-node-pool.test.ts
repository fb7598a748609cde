import { Provider } from "@pulumi/kubernetes/provider";
import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { GpuNodePool } from "../../../../components/nodes/pool/gpu-node-pool";
import { gpuNodePoolProblems, type GpuNodePoolArgs } from "../../../../components/nodes/pool/gpu-node-pool-schema";
import { GpuNodeGroup } from "../../../../components/nodes/gpu-node-group";
import { amiReleases, kubernetesVersion } from "../../../../components/core/versions";
import { planCost } from "../../../../planner/cost/cost";
import { asAnalyzed } from "../../../../planner/record/recorded-resource";
import { judge } from "../../../../policies/engine/judge";
import { lab } from "../../../../policies/packs/lab/rules";
import { shared } from "../../../../policies/packs/shared/rules";
import { recordingProblems } from "../../../support/kubernetes-schema";
import { brief, testProblems } from "../../../support/problems";
import { only, plan, reaches } from "../../../support/plan";

const type = {
  component: "eks-gpu-lab:index:GpuNodePool",
  pool: "kubernetes:karpenter.sh/v1:NodePool",
  karpenterClass: "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
  autoModeClass: "kubernetes:eks.amazonaws.com/v1:NodeClass",
};
const ofKarpenter: GpuNodePoolArgs = {
  ...{ subnetId: "subnet-1", securityGroupIds: ["sg-1", "sg-2"] },
  ...{ instanceProfileName: "profile", kubernetesVersion },
};
const ofAutoMode: GpuNodePoolArgs = {
  ...{ provisioner: "autoMode", subnetId: "subnet-1", securityGroupIds: ["sg-1"], nodeRoleName: "role" },
};
const builtIn: GpuNodePoolArgs = { provisioner: "autoMode", nodeClassName: "default", zone: "ap-northeast-2a" };

const make = (args: GpuNodePoolArgs, opts?: pulumi.ComponentResourceOptions, name = "gpu") =>
  plan(() => {
    const provider = new Provider("k8s", { kubeconfig: "{}" });
    new GpuNodePool(name, args, { provider, ...opts });
  });
const specOf = async (kind: keyof typeof type, args: GpuNodePoolArgs) =>
  only(await make(args), type[kind]).inputs["spec"] as Record<string, unknown>;

const labels = { tier: "gpu", "nvidia.com/gpu": "true", "k8s.amazonaws.com/accelerator": "nvidia-a10g" };
const gpuTaint = { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" };
const pinnedDate = amiReleases[kubernetesVersion]?.split("-")[1];

describe("by default, with Karpenter", () => {
  test("the pool has a limit, an expiry and a taint, and ends empty nodes only", async () => {
    expect(await specOf("pool", ofKarpenter)).toEqual({
      template: {
        metadata: { labels },
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "gpu" },
          requirements: [
            { key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] },
            { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
          ],
          taints: [gpuTaint],
          expireAfter: "24h",
          terminationGracePeriod: "30m",
        },
      },
      limits: { "nvidia.com/gpu": "2" },
      disruption: {
        consolidationPolicy: "WhenEmpty",
        consolidateAfter: "10m",
        budgets: [
          { nodes: "100%", reasons: ["Empty"] },
          { nodes: "0", reasons: ["Drifted", "Underutilized"] },
        ],
      },
    });
  });

  test("the node class is as strict as the launch template of a node group", async () => {
    const { userData, ...spec } = await specOf("karpenterClass", ofKarpenter);
    expect(spec).toEqual({
      amiSelectorTerms: [{ alias: `al2023@v${pinnedDate}` }],
      instanceProfile: "profile",
      subnetSelectorTerms: [{ id: "subnet-1" }],
      securityGroupSelectorTerms: [{ id: "sg-1" }, { id: "sg-2" }],
      associatePublicIPAddress: false,
      metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
      blockDeviceMappings: [
        {
          ...{ deviceName: "/dev/xvda", rootVolume: true },
          ebs: { volumeType: "gp3", volumeSize: "100Gi", encrypted: true, deleteOnTermination: true },
        },
      ],
    });
    expect(userData).toContain("dnf");
    expect(userData).toMatch(/^MIME-Version: 1.0\n/);
  });

  test("its nodes have the labels and taints of a node group", async () => {
    let group: GpuNodeGroup | undefined;
    let pool: GpuNodePool | undefined;
    const recording = await plan(() => {
      const provider = new Provider("k8s", { kubeconfig: "{}" });
      const { subnetId = "", securityGroupIds = [] } = ofKarpenter;
      group = new GpuNodeGroup("group", { clusterName: "myeks", kubernetesVersion, subnetId, securityGroupIds });
      pool = new GpuNodePool("gpu", ofKarpenter, { provider });
    });
    const [groupInputs, poolInputs] = ["GpuNodeGroup", "GpuNodePool"].map(
      (name) => only(recording, `eks-gpu-lab:index:${name}`).inputs,
    );
    for (const key of ["labels", "taints", "releaseVersion", "diskSizeGiB", "tools", "localStorage"])
      expect([key, poolInputs?.[key]]).toEqual([key, groupInputs?.[key]]);
    expect(pool?.taints).toEqual(group?.taints);
  });
});

const everything: GpuNodePoolArgs = {
  ...ofKarpenter,
  ...{ instanceTypes: ["g5.xlarge", "g6.xlarge"], gpuLimit: 4, capacityType: "SPOT", zone: "ap-northeast-2a" },
  ...{ expireAfterHours: 8, terminationGracePeriodMinutes: 5, maxDisruptedNodes: 1, maxPods: 20 },
  ...{ consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfterMinutes: 1, localStorage: "raid0", tools: [] },
  labels: { team: "a" },
  taints: [{ key: "team", value: "a", effect: "NO_EXECUTE" }],
  startupTaints: [{ key: "example.com/agent", effect: "NO_SCHEDULE" }],
  tags: { Team: "a", "expires-at": "2026-12-01" },
};

test("every argument has its place", async () => {
  expect(await specOf("pool", everything)).toMatchObject({
    template: {
      // Several accelerators have no common label.
      metadata: { labels: { tier: "gpu", "nvidia.com/gpu": "true", team: "a" } },
      spec: {
        requirements: [
          { key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge", "g6.xlarge"] },
          { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
          { key: "topology.kubernetes.io/zone", operator: "In", values: ["ap-northeast-2a"] },
        ],
        taints: [gpuTaint, { key: "team", value: "a", effect: "NoExecute" }],
        startupTaints: [{ key: "example.com/agent", effect: "NoSchedule" }],
        expireAfter: "8h",
        terminationGracePeriod: "5m",
      },
    },
    limits: { "nvidia.com/gpu": "4" },
    disruption: {
      consolidationPolicy: "WhenEmptyOrUnderutilized",
      consolidateAfter: "1m",
      budgets: [{}, { nodes: "1" }],
    },
  });
  const spec = await specOf("karpenterClass", everything);
  expect(spec).toMatchObject({ instanceStorePolicy: "RAID0", kubelet: { maxPods: 20 } });
  expect(spec["tags"]).toEqual({ Team: "a" });
  expect(spec).not.toHaveProperty("userData");
  const { metadata } = (await specOf("pool", everything))["template"] as { metadata: { labels: object } };
  expect(metadata.labels).not.toHaveProperty(["k8s.amazonaws.com/accelerator"]);
});

test("with EKS Auto Mode the pool has the same limits, and EKS chooses the AMI", async () => {
  const [karpenter, auto] = [await specOf("pool", ofKarpenter), await specOf("pool", ofAutoMode)];
  const group = { group: "eks.amazonaws.com", kind: "NodeClass", name: "gpu" };
  const template = karpenter["template"] as { spec: object };
  expect(auto).toEqual({ ...karpenter, template: { ...template, spec: { ...template.spec, nodeClassRef: group } } });
  expect(await specOf("autoModeClass", ofAutoMode)).toEqual({
    role: "role",
    subnetSelectorTerms: [{ id: "subnet-1" }],
    securityGroupSelectorTerms: [{ id: "sg-1" }],
    ephemeralStorage: { size: "100Gi" },
  });
});

test("a pool can use a node class that exists", async () => {
  const recording = await make(builtIn);
  expect(recording.resources.filter(({ type: one }) => one.endsWith("NodeClass"))).toEqual([]);
  expect(only(recording, type.pool).inputs).toMatchObject({
    spec: { template: { spec: { nodeClassRef: { kind: "NodeClass", name: "default" } } } },
  });
});

test.for([ofKarpenter, everything, ofAutoMode, builtIn])(
  "the definitions of Karpenter accept the objects %#",
  async (args) => {
    expect(recordingProblems(await make(args))).toEqual({});
  },
);

test("the definitions of Karpenter reject a wrong object", async () => {
  const spec = { disruption: { consolidateAfter: "soon" }, limit: {} };
  const recording = await make({ ...ofKarpenter, transform: { nodePool: { spec } } });
  expect(recordingProblems(recording)["gpu"]?.join("\n")).toMatch(
    /consolidateAfter: must match pattern[^]*"additionalProperty":"limit"|"additionalProperty":"limit"[^]*must match/,
  );
});

test("the pool ends before its node class, and is never deleted with a cluster", async () => {
  const recording = await make(ofKarpenter);
  expect(reaches(recording, only(recording, type.pool).urn, only(recording, type.karpenterClass).urn)).toBe(true);
  expect(only(recording, type.pool).options.deletedWith).toBeUndefined();
  const program = plan(() => {
    const provider = new Provider("k8s", { kubeconfig: "{}" });
    new GpuNodePool("gpu", ofKarpenter, { provider, deletedWith: provider });
  });
  await expect(program).rejects.toThrow(
    'deletedWith: got "a resource". Only the deletion of the NodePool terminates its instances',
  );
});

test("a name that Kubernetes rejects is refused", async () => {
  await expect(make(ofKarpenter, {}, "GPU_pool")).rejects.toThrow('name: got "GPU_pool"');
});

test("the commands set the limit before they delete nodes", async () => {
  let pool: GpuNodePool | undefined;
  await plan(() => {
    pool = new GpuNodePool("gpu", ofKarpenter, { provider: new Provider("k8s", { kubeconfig: "{}" }) });
  });
  const end = await new Promise((resolve) => pool?.commands.end.apply(resolve));
  expect(end).toBe(
    `kubectl patch nodepool gpu --field-manager=pulumi-kubernetes --type=merge -p '{"spec":{"limits":{"nvidia.com/gpu":"0"}}}'` +
      " && kubectl delete nodeclaims -l karpenter.sh/nodepool=gpu",
  );
});

const costOf = async (args: GpuNodePoolArgs) => planCost(await make(args), "ap-northeast-2");

describe("what it costs", () => {
  test.for([
    [ofKarpenter, 2],
    [{ ...ofKarpenter, gpuLimit: 3 }, 3],
    [{ ...ofKarpenter, instanceTypes: ["g5.12xlarge"], gpuLimit: 10 }, 2],
  ] as const)("nothing at rest, and at the limit each node %#", async ([args, nodes]) => {
    const { atRest, gpuGroups, sessionHour } = await costOf(args);
    expect([atRest.lines, gpuGroups[0]?.maxSize]).toEqual([[], nodes]);
    const [instances, disks] = sessionHour.lines;
    expect(instances).toMatchObject({ unit: "instance-hour", quantity: nodes });
    expect(disks?.quantity).toBe(nodes * 100);
    expect(sessionHour.complete).toBe(true);
  });

  test.for([
    [ofAutoMode, 200],
    [builtIn, 160],
  ] as const)("with EKS Auto Mode also its fee %#", async ([args, gib]) => {
    const { sessionHour } = await costOf(args);
    expect(sessionHour.lines.map(({ unit, quantity }) => [unit, quantity])).toEqual([
      ["instance-hour", 2],
      ["instance-hour", 2],
      ["GB-month", gib],
    ]);
    expect(sessionHour).toMatchObject({ complete: true, lines: [{}, { item: "EKS Auto Mode for g5.xlarge" }, {}] });
  });

  test("a limit of 0 costs nothing", async () => {
    expect((await costOf({ ...ofKarpenter, gpuLimit: 0 })).sessionHour).toMatchObject({ usd: 0, complete: true });
  });
});

test.for(["lab", "shared"] as const)("pack %s has nothing to say of the pools", async (name) => {
  for (const args of [ofKarpenter, ofAutoMode, builtIn]) {
    const recording = await make(args);
    const found = judge({ lab, shared }[name], recording.resources.map(asAnalyzed), { stack: "gpu-lab" });
    // A lease is a component of its own.
    const others = found.filter(({ rule }) => rule !== "gpu-lease-present");
    expect(others.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([]);
  }
});

test("pack lab says that no lease ends the nodes, what ends a training pod, and which limit exceeds the quota", async () => {
  const recording = await make({
    ...ofKarpenter,
    consolidationPolicy: "WhenEmptyOrUnderutilized",
    maxDisruptedNodes: 1,
    gpuLimit: 3,
  });
  const found = judge(lab, recording.resources.map(asAnalyzed), { stack: "gpu-lab" });
  expect(found.map(({ rule }) => rule).sort()).toEqual([
    "gpu-lease-present",
    "gpu-pool-consolidation",
    "gpu-vcpu-quota",
  ]);
});

describe("problems", () => {
  const judge = (args: object) => gpuNodePoolProblems({ ...ofKarpenter, ...args }, "pool");

  test.for([
    {},
    { gpuLimit: 0 },
    { instanceTypes: ["g5.12xlarge"], gpuLimit: 4 },
    { instanceTypes: ["p5.4xlarge"] },
    { expireAfterHours: 720 },
    everything,
  ])("none %#", (args) => expect(brief(judge(args))).toEqual([]));

  testProblems(judge, [
    [{ gpuLimits: 1 }, "unknown-key pool.gpuLimits"],
    [{ gpuLimit: -1 }, "out-of-range pool.gpuLimit"],
    [{ gpuLimit: "2" }, "wrong-type pool.gpuLimit"],
    [{ instanceTypes: [] }, "missing pool.instanceTypes"],
    [{ instanceTypes: ["t3.medium"] }, "not-allowed pool.instanceTypes[0]"],
    [{ instanceTypes: ["g5.12xlarge"] }, "conflict pool.gpuLimit"],
    [{ instanceTypes: ["g6.xlarge", "g6f.xlarge"] }, "not-allowed pool.instanceTypes[1]"],
    [{ instanceTypes: ["gr6f.4xlarge"] }, "not-allowed pool.instanceTypes[0]"],
    [{ diskSizeGiB: 20 }, "out-of-range pool.diskSizeGiB"],
    [{ expireAfterHours: 0 }, "out-of-range pool.expireAfterHours"],
    [{ releaseVersion: "latest" }, "version pool.releaseVersion"],
    [{ releaseVersion: "1.34.1-20260930", instanceTypes: ["g5.xlarge", "g6.xlarge"] }, "version pool.releaseVersion"],
    [{ kubernetesVersion: undefined }, "missing pool.kubernetesVersion"],
    [
      { subnetId: undefined, instanceProfileName: undefined },
      ["missing pool.subnetId", "missing pool.instanceProfileName"],
    ],
    [{ nodeRoleName: "role" }, "conflict pool.nodeRoleName"],
    [
      { provisioner: "autoMode" },
      ["conflict pool.instanceProfileName", "conflict pool.kubernetesVersion", "missing pool.nodeRoleName"],
    ],
    [
      { nodeClassName: "mine", securityGroupIds: undefined, kubernetesVersion: undefined },
      ["conflict pool.subnetId", "conflict pool.instanceProfileName", "missing pool.zone"],
    ],
    [{ labels: { "karpenter.sh/nodepool": "a" } }, 'not-allowed pool.labels["karpenter.sh/nodepool"]'],
    [{ labels: { tier: "cpu" } }, 'conflict pool.labels["tier"]'],
    [{ tags: { "karpenter.sh/nodepool": "a" } }, "not-allowed pool.tags.karpenter.sh/nodepool"],
    [{ taints: [{ key: "a", effect: "NoSchedule" }] }, "not-allowed pool.taints[0].effect"],
    [
      { startupTaints: [{ key: "nvidia.com/gpu", value: "other", effect: "NO_SCHEDULE" }] },
      "conflict pool.startupTaints[0]",
    ],
    [{ localStorage: "raid0", instanceTypes: ["g5g.xlarge"] }, "not-offered pool.localStorage"],
    [{ maxPods: 200 }, "out-of-range pool.maxPods"],
  ]);

  test("EKS Auto Mode ends nodes after 21 days", () => {
    const judged = gpuNodePoolProblems({ ...ofAutoMode, expireAfterHours: 505 });
    expect(brief(judged)).toEqual(["out-of-range expireAfterHours"]);
    expect(gpuNodePoolProblems({ ...ofAutoMode, expireAfterHours: 504 })).toEqual([]);
  });

  test("a start-up taint that the nodes have anyway is left out", async () => {
    const startupTaints = [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }] as const;
    const { template } = (await specOf("pool", { ...ofKarpenter, startupTaints })) as { template: { spec: object } };
    expect(template.spec).not.toHaveProperty("startupTaints");
  });
});
