import * as pulumi from "@pulumi/pulumi";
import * as ec2 from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GpuNodeGroup, type GpuNodeGroupArgs } from "../../../components/nodes/gpu-node-group";
import { instanceType } from "../../../components/nodes/machine/instance-types";
import { kubernetesEffect, type Taint } from "../../../components/nodes/scheduling/taints";
import type { Recording } from "../../../planner/record/record";
import { amiReleases, kubernetesVersion } from "../../../components/core/versions";
import { unknownSentinel } from "../../../components/core/wire";
import { byName, ofType, only, plan } from "../../support/plan";

const wiring = {
  clusterName: "myeks",
  kubernetesVersion,
  subnetId: "subnet-1",
  securityGroupIds: ["sg-1", "sg-2"],
} satisfies Partial<GpuNodeGroupArgs>;

const types = {
  component: "eks-gpu-lab:index:GpuNodeGroup",
  role: "aws:iam/role:Role",
  attachment: "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  template: "aws:ec2/launchTemplate:LaunchTemplate",
  group: "aws:eks/nodeGroup:NodeGroup",
  tag: "aws:autoscaling/tag:Tag",
};

const make = (args: Partial<GpuNodeGroupArgs> = {}) => plan(() => void new GpuNodeGroup("gpu", { ...wiring, ...args }));
const template = async (args: Partial<GpuNodeGroupArgs>) => only(await make(args), types.template).inputs;
const group = async (args: Partial<GpuNodeGroupArgs>) => only(await make(args), types.group).inputs;

const hintPrefix = "k8s.io/cluster-autoscaler/node-template/";
function hintsIn(recording: Recording): Record<string, string> {
  const tags = ofType(recording, types.tag).map((tag) => tag.inputs["tag"] as { key: string; value: string });
  return Object.fromEntries(tags.map(({ key, value }) => [key.replace(hintPrefix, ""), value]));
}

const taint: Taint = { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" };
const labels = { tier: "gpu", "nvidia.com/gpu": "true", "k8s.amazonaws.com/accelerator": "nvidia-a10g" };
const tools = ["tree", "bind-utils", "tcpdump", "nvme-cli", "links", "sysstat", "ipset", "htop", "pciutils"];

describe("by default", () => {
  test("the engine gets every argument with its default, as policies read them", async () => {
    expect(only(await make(), types.component).inputs).toEqual({
      ...wiring,
      instanceType: "g5.xlarge",
      desiredSize: 0,
      minSize: 0,
      maxSize: 2,
      owner: "session",
      diskSizeGiB: 100,
      releaseVersion: amiReleases[kubernetesVersion],
      capacityType: "ON_DEMAND",
      efa: false,
      localStorage: "none",
      labels,
      taints: [taint],
      tools,
    });
  });

  test("the node group", async () => {
    expect(await group({})).toEqual({
      clusterName: "myeks",
      nodeGroupNamePrefix: "myeks-gpu-",
      nodeRoleArn: unknownSentinel,
      subnetIds: ["subnet-1"],
      amiType: "AL2023_x86_64_NVIDIA",
      version: kubernetesVersion,
      releaseVersion: amiReleases[kubernetesVersion],
      capacityType: "ON_DEMAND",
      instanceTypes: ["g5.xlarge"],
      scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 2 },
      updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
      labels,
      taints: [taint],
      launchTemplate: { id: unknownSentinel, version: unknownSentinel },
      tags: { Name: "myeks-gpu" },
    });
  });

  test("the launch template", async () => {
    const { userData, ...inputs } = await template({});
    const tags = { Name: "myeks-gpu" };
    expect(inputs).toEqual({
      namePrefix: "myeks-gpu-",
      description: "Nodes of an EKS managed node group",
      updateDefaultVersion: true,
      metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
      blockDeviceMappings: [
        {
          deviceName: "/dev/xvda",
          ebs: { volumeType: "gp3", volumeSize: 100, encrypted: "true", deleteOnTermination: "true" },
        },
      ],
      vpcSecurityGroupIds: ["sg-1", "sg-2"],
      tagSpecifications: [
        { resourceType: "instance", tags },
        { resourceType: "volume", tags },
        { resourceType: "network-interface", tags },
      ],
      tags,
    });
    const text = Buffer.from(userData as string, "base64").toString();
    expect(text).toContain(`dnf install -y --setopt=strict=0 ${tools.join(" ")} ||`);
    expect(text).not.toContain("node.eks.aws");
  });

  test("the role: what a node needs, and no more", async () => {
    const recording = await make();
    const role = only(recording, types.role);
    expect({
      ...role.inputs,
      assumeRolePolicy: JSON.parse(role.inputs["assumeRolePolicy"] as string) as unknown,
    }).toEqual({
      namePrefix: "myeks-gpu-",
      description: "Nodes of an EKS managed node group",
      forceDetachPolicies: true,
      assumeRolePolicy: {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "ec2.amazonaws.com" } }],
      },
      tags: { Name: "myeks-gpu" },
    });
    expect(ofType(recording, types.attachment).map((a) => [a.name, a.inputs["policyArn"]])).toEqual([
      ["gpu-role-worker", "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"],
      ["gpu-role-registry", "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly"],
      ["gpu-role-cni", "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"],
      ["gpu-role-ssm", "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"],
    ]);
  });

  test("the autoscaler's tags are on the group that EKS made, and on no instance", async () => {
    const tags = ofType(await make(), types.tag);
    expect(tags.map((tag) => [tag.name, tag.inputs])).toEqual(
      [
        ["label-tier", "label/tier", "gpu"],
        ["label-nvidia.com/gpu", "label/nvidia.com/gpu", "true"],
        ["label-k8s.amazonaws.com/accelerator", "label/k8s.amazonaws.com/accelerator", "nvidia-a10g"],
        ["taint-nvidia.com/gpu", "taint/nvidia.com/gpu", "true:NoSchedule"],
        ["resources-nvidia.com/gpu", "resources/nvidia.com/gpu", "1"],
        ["resources-ephemeral-storage", "resources/ephemeral-storage", "88Gi"],
      ].map(([name, key, value]) => [
        `gpu-${name}`,
        {
          autoscalingGroupName: unknownSentinel,
          tag: { key: `${hintPrefix}${key}`, value, propagateAtLaunch: false },
        },
      ]),
    );
  });

  test("there is nothing else", async () => {
    const { resources } = await make();
    expect(resources).toHaveLength(1 + 1 + 1 + 4 + 1 + 1 + 6);
  });
});

describe("order", () => {
  test("the group waits for its policies and for what the component waits for; its tags go with it", async () => {
    const recording = await plan(() => {
      const addon = new eks.Addon("cni", { clusterName: "myeks", addonName: "vpc-cni" });
      const zone = new ec2.Vpc("zone", { cidrBlock: "10.0.0.0/16" });
      new GpuNodeGroup("gpu", wiring, { dependsOn: addon, deletedWith: zone });
    });
    const component = only(recording, types.component).urn;
    const addon = byName(recording, "cni").urn;
    const group = only(recording, types.group);
    const children = recording.resources.filter((r) => r.parent === component);
    expect(children).toHaveLength(13);
    for (const child of children) expect([child.name, child.dependencies.includes(addon)]).toEqual([child.name, true]);
    for (const attachment of ofType(recording, types.attachment)) expect(group.dependencies).toContain(attachment.urn);
    expect(group.options.deletedWith).toBe(byName(recording, "zone").urn);
    expect(group.options.customTimeouts).toEqual({ create: "30m", update: "90m", delete: "30m" });
    for (const tag of ofType(recording, types.tag)) expect(tag.options.deletedWith).toBe(group.urn);
  });

  test.for([
    ["session", ["scalingConfig.desiredSize"]],
    ["autoscaler", ["scalingConfig.desiredSize"]],
    ["pulumi", []],
  ] as const)("owned by %s", async ([owner, ignored]) => {
    expect(only(await make({ owner }), types.group).options.ignoreChanges).toEqual(ignored);
  });
});

describe("a choice changes", () => {
  test("the sizes", async () => {
    expect(await group({ desiredSize: 1, minSize: 1, maxSize: 3 })).toMatchObject({
      scalingConfig: { desiredSize: 1, minSize: 1, maxSize: 3 },
    });
  });

  test("the AMI of an ARM type", async () => {
    expect(await group({ instanceType: "g5g.xlarge" })).toMatchObject({
      amiType: "AL2023_ARM_64_NVIDIA",
      instanceTypes: ["g5g.xlarge"],
      labels: { "k8s.amazonaws.com/accelerator": "nvidia-t4g" },
    });
  });

  test("the release", async () => {
    expect(await group({ releaseVersion: "1.35.7-20260911" })).toMatchObject({ releaseVersion: "1.35.7-20260911" });
  });

  test("spot capacity", async () => {
    expect(await group({ capacityType: "SPOT" })).toMatchObject({ capacityType: "SPOT" });
  });

  test("one reservation is one target", async () => {
    const reservations = [
      [{ id: "cr-0123456789abcdef0" }, { capacityReservationId: "cr-0123456789abcdef0" }],
      [
        { resourceGroupArn: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu" },
        { capacityReservationResourceGroupArn: "arn:aws:resource-groups:us-east-1:123456789012:group/gpu" },
      ],
    ] as const;
    for (const [capacityReservation, capacityReservationTarget] of reservations) {
      expect((await template({ capacityReservation }))["capacityReservationSpecification"]).toEqual({
        capacityReservationTarget,
      });
    }
    expect(await template({})).not.toHaveProperty("capacityReservationSpecification");
  });

  test("the launch template contains a Capacity Block with its market and type, and the group names no type", async () => {
    const recording = await make({
      instanceType: "p5.48xlarge",
      capacityType: "CAPACITY_BLOCK",
      capacityReservation: { id: "cr-0123456789abcdef0" },
    });
    expect(only(recording, types.template).inputs).toMatchObject({
      instanceType: "p5.48xlarge",
      instanceMarketOptions: { marketType: "capacity-block" },
      capacityReservationSpecification: {
        capacityReservationTarget: { capacityReservationId: "cr-0123456789abcdef0" },
      },
    });
    const inputs = only(recording, types.group).inputs;
    expect(inputs).toMatchObject({ capacityType: "CAPACITY_BLOCK", amiType: "AL2023_x86_64_NVIDIA" });
    expect(inputs).not.toHaveProperty("instanceTypes");
  });

  test("EFA moves the security groups into the interfaces, and needs no placement group", async () => {
    const inputs = await template({ instanceType: "g6e.24xlarge", efa: true });
    const common = { deleteOnTermination: "true", securityGroups: ["sg-1", "sg-2"] };
    expect(inputs["networkInterfaces"]).toEqual([
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: "efa", ...common },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa-only", ...common },
    ]);
    expect(inputs).not.toHaveProperty("vpcSecurityGroupIds");
    expect(inputs).not.toHaveProperty("placement");
  });

  test("a placement group needs no EFA", async () => {
    const inputs = await template({ placementGroup: "near" });
    expect(inputs).toMatchObject({ placement: { groupName: "near" }, vpcSecurityGroupIds: ["sg-1", "sg-2"] });
    expect(inputs).not.toHaveProperty("networkInterfaces");
  });

  test("RAID0 and pods a node", async () => {
    const recording = await make({ localStorage: "raid0", maxPods: 110 });
    const text = Buffer.from(only(recording, types.template).inputs["userData"] as string, "base64").toString();
    expect(text).toContain("      maxPods: 110\n");
    expect(text).toContain("      strategy: RAID0\n");
    expect(hintsIn(recording)["resources/ephemeral-storage"]).toBe("207Gi");
  });

  test("no tools, no user data", async () => {
    expect(await template({ tools: [] })).not.toHaveProperty("userData");
  });

  test("repair", async () => {
    expect(await group({ repair: {} })).toMatchObject({
      nodeRepairConfig: { enabled: true, maxParallelNodesRepairedCount: 1, maxUnhealthyNodeThresholdCount: 1 },
    });
    expect(await group({})).not.toHaveProperty("nodeRepairConfig");
  });

  test("tags are everywhere, and the caller's Name wins", async () => {
    const tags = { Lab: "nccl", Name: "mine" };
    const recording = await make({ tags });
    for (const type of [types.role, types.template, types.group])
      expect(only(recording, type).inputs["tags"]).toEqual(tags);
    const specifications = only(recording, types.template).inputs["tagSpecifications"] as { tags: unknown }[];
    expect(specifications.map((s) => s.tags)).toEqual([tags, tags, tags]);
  });

  test("a disk size is the template's alone", async () => {
    expect(await template({ diskSizeGiB: 300 })).toMatchObject({
      blockDeviceMappings: [{ ebs: { volumeSize: 300 } }],
    });
    expect(await group({ diskSizeGiB: 300 })).not.toHaveProperty("diskSize");
  });
});

describe("physical names", () => {
  const prefixes = async (args: Partial<GpuNodeGroupArgs>, name = "gpu") => {
    const recording = await plan(() => void new GpuNodeGroup(name, { ...wiring, ...args }));
    return [
      only(recording, types.role).inputs["namePrefix"],
      only(recording, types.template).inputs["namePrefix"],
      only(recording, types.group).inputs["nodeGroupNamePrefix"],
    ];
  };

  test.for([
    ["as given", { physicalName: "myeks-ng-gpu" }, "gpu", "myeks-ng-gpu-"],
    ["of a cluster known later", { clusterName: pulumi.output("later") }, "gpu", "later-gpu-"],
    ["of a long cluster name", { clusterName: "c".repeat(100) }, "gpu", `${"c".repeat(32)}-gpu-`],
    ["of a component name AWS would refuse", {}, "lab/gpu", "myeks-lab-gpu-"],
    ["of two long names", { clusterName: "c".repeat(100) }, "g".repeat(50), `c-${"g".repeat(34)}-`],
  ] as const)("%s", async ([, args, name, prefix]) => {
    expect(await prefixes(args, name)).toEqual([prefix, prefix, prefix]);
    expect(prefix.length).toBeLessThanOrEqual(37);
  });
});

describe("what the autoscaler learns", () => {
  test("changes with a taint", async () => {
    const taints: Taint[] = [{ key: "team", value: "research", effect: "NO_EXECUTE" }];
    expect(hintsIn(await make({ taints }))).toMatchObject({
      "taint/nvidia.com/gpu": "true:NoSchedule",
      "taint/team": "research:NoExecute",
    });
  });

  test("counts a part of a GPU as one", async () => {
    expect(hintsIn(await make({ instanceType: "g6f.large" }))["resources/nvidia.com/gpu"]).toBe("1");
    expect(hintsIn(await make({ instanceType: "g5.12xlarge" }))["resources/nvidia.com/gpu"]).toBe("4");
  });

  test("always agrees with the labels and taints of the node group", async () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/).map((text) => `x-${text}`);
    const own = fc.record({ key: name, value: name, effect: fc.constantFrom("NO_SCHEDULE", "NO_EXECUTE") });
    const taints = fc.uniqueArray(own, { selector: (one) => one.key, maxLength: 3 });
    const type = fc.constantFrom("g5.xlarge", "g6f.large", "p5.48xlarge", "g5g.16xlarge");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, name, { maxKeys: 3 }), taints, type, async (labels, extra, instance) => {
        const recording = await make({ labels, taints: extra, instanceType: instance });
        const { labels: set, taints: tainted } = only(recording, types.group).inputs as {
          labels: Record<string, string>;
          taints: (Taint & { value: string })[];
        };
        expect(set).toMatchObject(labels);
        expect(tainted).toEqual([taint, ...extra]);
        const { "resources/ephemeral-storage": disk, ...rest } = hintsIn(recording);
        expect(disk).toBe("88Gi");
        expect(rest).toEqual({
          ...Object.fromEntries(Object.entries(set).map(([key, value]) => [`label/${key}`, value])),
          ...Object.fromEntries(tainted.map((t) => [`taint/${t.key}`, `${t.value}:${kubernetesEffect(t.effect)}`])),
          "resources/nvidia.com/gpu": String(instanceType(instance)?.gpus),
        });
      }),
      { numRuns: 15 },
    );
  });
});

test("the plain fields hold the facts and every taint", async () => {
  const team: Taint = { key: "team", effect: "NO_SCHEDULE" };
  let made: GpuNodeGroup | undefined;
  await plan(() => void (made = new GpuNodeGroup("gpu", { ...wiring, taints: [team] })));
  expect(made?.gpu).toEqual(instanceType("g5.xlarge"));
  expect(made?.taints).toEqual([taint, team]);
});

test("the outputs are those of the resources as they are", async () => {
  const made = (type: string) =>
    ({
      [types.group]: {
        nodeGroupName: "myeks-gpu-1",
        releaseVersion: "1.35.8-20260923",
        resources: [{ autoscalingGroups: [{ name: "eks-myeks-gpu-1" }] }],
      },
      [types.role]: { arn: "arn:aws:iam::123456789012:role/myeks-gpu-1" },
      [types.template]: { id: "lt-1" },
    })[type] ?? {};
  const recording = await plan(
    () => {
      const group = new GpuNodeGroup("gpu", wiring);
      const { nodeGroupName, autoscalingGroupName, roleArn, releaseVersion } = group;
      return { nodeGroupName, autoscalingGroupName, roleArn, releaseVersion };
    },
    {
      cloud: {
        outputsOf: ({ type }) => made(type),
        call: () => ({ partition: "aws-cn", dnsSuffix: "amazonaws.com.cn" }),
      },
    },
  );
  expect(recording.outputs).toEqual({
    nodeGroupName: "myeks-gpu-1",
    autoscalingGroupName: "eks-myeks-gpu-1",
    roleArn: "arn:aws:iam::123456789012:role/myeks-gpu-1",
    releaseVersion: "1.35.8-20260923",
  });
  expect(byName(recording, "gpu-label-tier").inputs["autoscalingGroupName"]).toBe("eks-myeks-gpu-1");
  expect(byName(recording, "gpu-role-cni").inputs["policyArn"]).toBe("arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy");
});
