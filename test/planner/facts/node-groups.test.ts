import { expect, test } from "vitest";
import { gpuFacts } from "../../../planner/report/gpu-facts";
import { gpuGroupsOf, gpuText, nodeGroupsOf, type NodeGroupFacts } from "../../../planner/facts/node-groups";
import { indexOf } from "../../../planner/facts/resource-index";
import { unknownSentinel as unknown } from "../../../components/core/wire";
import { recordingOf, type ResourceSpec } from "../recordings";

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const template = "aws:ec2/launchTemplate:LaunchTemplate";
const subnets: ResourceSpec[] = ["a", "b", "c"].map((letter) => ({
  type: "aws:ec2/subnet:Subnet",
  name: `private-${letter}`,
  inputs: { availabilityZone: `eu-west-1${letter}` },
}));

function group(inputs: Record<string, unknown>, more: Partial<ResourceSpec> = {}): ResourceSpec {
  return { type: nodeGroup, name: "gpu", ...more, inputs: { instanceTypes: ["g5.xlarge"], ...inputs } };
}

function factsOf(...specs: ResourceSpec[]) {
  return nodeGroupsOf(indexOf(recordingOf(specs)))[0];
}

test("the facts of a GPU group come from the group, its launch template, its subnet and the catalog", () => {
  const facts = factsOf(
    ...subnets,
    {
      type: template,
      name: "gpu",
      inputs: { blockDeviceMappings: [{ ebs: { volumeSize: 100, volumeType: "gp3", encrypted: "true" } }] },
    },
    group(
      {
        nodeGroupName: "myeks-ng-gpu",
        subnetIds: [unknown],
        scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 2 },
        amiType: "AL2023_x86_64_NVIDIA",
        releaseVersion: "1.35.8-20260930",
        taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
      },
      { from: { subnetIds: ["private-b"], launchTemplate: [`${template} gpu`] } },
    ),
  );
  expect(facts).toMatchObject({
    name: "myeks-ng-gpu",
    logicalName: "gpu",
    instanceTypes: ["g5.xlarge"],
    gpu: { model: "A10G", perNode: 1, memoryGiB: 22.4 },
    subnets: [{ name: "private-b", zone: "eu-west-1b" }],
    picksSubnet: false,
    zones: ["eu-west-1b"],
    size: { desired: 0, min: 0, max: 2 },
    vcpusPerNode: 4,
    quotaCode: "L-DB2E81BA",
    disk: { sizeGiB: 100, type: "gp3", encrypted: true },
    amiType: "AL2023_x86_64_NVIDIA",
    releaseVersion: "1.35.8-20260930",
    capacityType: "ON_DEMAND",
    taints: ["nvidia.com/gpu=true:NO_SCHEDULE"],
    owner: "pulumi",
  });
});

test.for([
  ["a GPU type", { instanceTypes: ["g5.xlarge"] }, { model: "A10G", perNode: 1, memoryGiB: 22.4 }],
  ["no GPU, even with an NVIDIA AMI", { instanceTypes: ["t3.medium"], amiType: "AL2023_x86_64_NVIDIA" }, undefined],
  ["a type unknown to the catalog, NVIDIA AMI", { instanceTypes: ["q9.xlarge"], amiType: "AL2023_x86_64_NVIDIA" }, {}],
  ["a type the catalog does not know", { instanceTypes: ["q9.xlarge"] }, undefined],
  ["an unknown type with an NVIDIA AMI", { instanceTypes: unknown, amiType: "AL2023_ARM_64_NVIDIA" }, {}],
  ["nothing at all", { instanceTypes: undefined }, undefined],
] as const)("GPU of %s", ([, inputs, gpu]) => expect(factsOf(group(inputs))?.gpu).toEqual(gpu));

test.for([
  [{ perNode: 8, model: "H100" }, "8 x NVIDIA H100"],
  [{ perNode: 1, fraction: 0.125, model: "L4" }, "1/8 of an NVIDIA L4"],
  [{}, "NVIDIA GPU"],
] as const)("text of a GPU: %j", ([gpu, text]) => expect(gpuText(gpu)).toBe(text));

test.for([
  ["the component's word", { owner: "session" }, [], "session"],
  ["the component's word inside scaling", { scaling: { owner: "autoscaler" } }, [], "autoscaler"],
  ["an ignored desired size without a component's word", {}, ["scalingConfig.desiredSize"], "outside"],
  ["an ignored scaling configuration", {}, ["scalingConfig"], "outside"],
  ["other things ignored", {}, ["tags"], "pulumi"],
] as const)("owner: %s", ([, args, ignoreChanges, owner]) => {
  const component: ResourceSpec = { type: "lab:index:Nodes", name: "nodes", component: true, inputs: args };
  const facts = factsOf(component, group({}, { parent: "nodes", options: { ignoreChanges: [...ignoreChanges] } }));
  expect(facts?.owner).toBe(owner);
});

test("a group that takes one of several subnets does not claim a zone it may not get", () => {
  const facts = factsOf(
    ...subnets,
    group({ subnetIds: [unknown] }, { from: { subnetIds: ["private-a", "private-b"] } }),
  );
  expect(facts).toMatchObject({ picksSubnet: true, zones: ["eu-west-1a", "eu-west-1b"] });
});

test("existing subnets are named by their ids, their zone is not known", () => {
  const facts = factsOf(group({ subnetIds: ["subnet-0abc"] }));
  expect(facts).toMatchObject({ subnets: [{ name: "subnet-0abc" }], zones: [], picksSubnet: false });
});

test("the launch template may set the instance type, and the group the disk", () => {
  const facts = factsOf(
    { type: template, name: "gpu", inputs: { instanceType: "g6.2xlarge" } },
    group(
      { instanceTypes: undefined, diskSize: 80, capacityType: "SPOT" },
      { from: { launchTemplate: [`${template} gpu`] } },
    ),
  );
  expect(facts).toMatchObject({ instanceTypes: ["g6.2xlarge"], disk: { sizeGiB: 80 }, quotaCode: "L-3819A6DF" });
});

test("only groups with GPUs are GPU groups, also those of @pulumi/eks", () => {
  const recording = recordingOf([
    group({ instanceTypes: ["t3.medium"] }, { name: "system" }),
    { type: "eks:index:ManagedNodeGroup", name: "remote", remote: true, inputs: { instanceTypes: ["g5.xlarge"] } },
  ]);
  expect(gpuGroupsOf(indexOf(recording)).map(({ name }) => name)).toEqual(["remote"]);
});

test("GPU facts of a fully known group", () => {
  const facts = factsOf(
    ...subnets,
    group(
      {
        subnetIds: [unknown],
        scalingConfig: { desiredSize: 1, minSize: 0, maxSize: 3 },
        capacityType: "CAPACITY_BLOCK",
        diskSize: 80,
      },
      { from: { subnetIds: ["private-a"] } },
    ),
  );
  if (!facts) throw new Error("no group");
  const cost = {
    name: "gpu",
    instanceType: "g5.xlarge",
    maxSize: 3,
    usdPerNodeHour: 1.25,
    usdPerHourAtMax: 3.75,
    lines: [],
  };
  expect(gpuFacts(facts, cost)).toMatchInlineSnapshot(`
    [
      [
        "instance",
        "g5.xlarge capacity block: 1 x NVIDIA A10G (22.4 GiB each), 4 vCPU",
      ],
      [
        "zone",
        "eu-west-1a: subnet private-a",
      ],
      [
        "size",
        "desired 1, min 0, max 3",
      ],
      [
        "quota",
        "none: Capacity Blocks do not count",
      ],
      [
        "disk",
        "80 GiB",
      ],
      [
        "AMI",
        "type not set, release not pinned",
      ],
      [
        "taints",
        "none: pods without a GPU request can run on the nodes",
      ],
      [
        "owner",
        "pulumi: each update sets the desired size",
      ],
      [
        "price",
        "USD 1.2500 per node-hour including the disk, USD 3.7500 per hour at maximum size",
      ],
    ]
  `);
});

test("GPU facts of a mostly unknown group", () => {
  const component: ResourceSpec = {
    type: "lab:index:Nodes",
    name: "nodes",
    component: true,
    inputs: { owner: "karpenter" },
  };
  const bare = group(
    { instanceTypes: unknown, amiType: "AL2023_x86_64_NVIDIA", subnetIds: unknown },
    { parent: "nodes" },
  );
  const facts = factsOf(component, bare);
  if (!facts) throw new Error("no group");
  expect(gpuFacts(facts, undefined)).toMatchInlineSnapshot(`
    [
      [
        "instance",
        "type known after the update, on demand: NVIDIA GPU",
      ],
      [
        "zone",
        "known after the update",
      ],
      [
        "size",
        "known after the update",
      ],
      [
        "quota",
        "known after the update",
      ],
      [
        "disk",
        "default size of the AMI",
      ],
      [
        "AMI",
        "AL2023_x86_64_NVIDIA, release not pinned",
      ],
      [
        "taints",
        "none: pods without a GPU request can run on the nodes",
      ],
      [
        "owner",
        "karpenter",
      ],
      [
        "price",
        "unknown",
      ],
    ]
  `);
});

test.for([
  [{ owner: "session" }, [], "session"],
  [{ owner: "autoscaler" }, [], "autoscaler"],
  [{ scaling: { owner: "session" } }, [], "session"],
  [{}, ["scalingConfig"], "outside"],
  [{}, [], "pulumi"],
] as const)("owner of %j, ignoring changes of %j", ([inputs, ignoreChanges, owner]) => {
  const component: ResourceSpec = { type: "lab:index:Nodes", name: "nodes", component: true, inputs };
  const facts = factsOf(component, group({}, { parent: "nodes", options: { ignoreChanges: [...ignoreChanges] } }));
  expect(facts?.owner).toBe(owner);
});

test("the wording of owners, disks and partly known sizes", () => {
  const facts = factsOf(group({ scalingConfig: { maxSize: 3 } }));
  if (!facts) throw new Error("no group");
  const wordingOf = (fact: string, changes: Partial<NodeGroupFacts>) =>
    Object.fromEntries(gpuFacts({ ...facts, ...changes }, undefined))[fact];
  expect([
    ...["session", "autoscaler", "outside", "pulumi", "karpenter"].map((owner) => wordingOf("owner", { owner })),
    wordingOf("disk", { disk: { sizeGiB: 30, type: "gp3", encrypted: false } }),
    wordingOf("disk", { disk: { type: "gp3", encrypted: true } }),
    wordingOf("size", {}),
  ]).toMatchInlineSnapshot(`
    [
      "session: commands change the desired size, updates ignore it",
      "autoscaler: the autoscaler changes the desired size, updates ignore it",
      "external: updates ignore the desired size",
      "pulumi: each update sets the desired size",
      "karpenter",
      "30 GiB gp3, not encrypted",
      "default size of the AMI gp3, encrypted",
      "max 3, the others known after the update",
    ]
  `);
});
