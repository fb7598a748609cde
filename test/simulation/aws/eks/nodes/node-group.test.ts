import { describe, expect, test } from "vitest";
import { kubernetesVersion } from "../../../../../components/core/versions";
import { type Properties, unknownSentinel } from "../../../../../components/core/wire";
import { gpuVcpusInUse, reconcileSize, scaleNodeGroup } from "../../../../../simulation/aws/eks/nodes/instances";
import { nodesOf } from "../../../../../simulation/aws/eks/nodes/nodes";
import { types } from "../../../../../simulation/aws/types";
import { changesOf } from "../../../../../simulation/cloud/changes";
import { IncompleteError } from "../../../../../simulation/cloud/errors";
import {
  amiRelease,
  clusterForNodes,
  contents,
  foundation,
  gpuInputs,
  groupInputs,
  laterAmiRelease,
  latestAmiRelease,
  makeAddon,
  makeCluster,
  makeGroup,
  messageOf,
  minorVersion,
  put,
  roles,
} from "../foundation";

const invalid = (words: string) => `InvalidParameterException: ${words}`;

describe("a new node group", () => {
  test("has an instance per node in all zones, with the template's security groups", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    const scaling = cloud.find(types.autoscalingGroup)[0]?.id;
    expect(cloud.find(types.instance).map(({ inputs }) => inputs)).toEqual(
      ["subnet-a", "subnet-b"].map((subnetId) => ({
        instanceType: "t3.medium",
        subnetId,
        vpcSecurityGroupIds: ["sg-nodes"],
        tags: {
          ...{ "eks:cluster-name": "lab", "eks:nodegroup-name": "system" },
          ...{ "kubernetes.io/cluster/lab": "owned", "aws:eks:cluster-name": "lab" },
          "aws:autoscaling:groupName": scaling,
        },
      })),
    );
    expect(cloud.history.at(-1)).toMatchObject({ from: 660, to: 780 });
  });

  test("has the name of its Auto Scaling group as an output", async () => {
    const cloud = await clusterForNodes();
    const { computed } = await makeGroup(cloud);
    const group = cloud.find(types.autoscalingGroup)[0];
    expect(group?.id).toMatch(/^eks-system-[0-9a-f-]{36}$/);
    expect(group?.inputs).toEqual({ name: group?.id, minSize: 1, maxSize: 4, desiredCapacity: 2 });
    expect(computed["resources"]).toEqual([
      { autoscalingGroups: [{ name: group?.id }], remoteAccessSecurityGroupId: "" },
    ]);
    expect(computed).toMatchObject({ status: "ACTIVE" });
  });

  test("completes a name prefix to a unique name", async () => {
    const cloud = await clusterForNodes();
    const { nodeGroupName: _, ...inputs } = groupInputs;
    const names = [];
    for (let count = 0; count < 2; count++) {
      const { id, computed } = await cloud.create(types.nodeGroup, { ...inputs, nodeGroupNamePrefix: "x-system-" });
      expect(id).toBe(`lab:${String(computed["nodeGroupName"])}`);
      names.push(computed["nodeGroupName"]);
    }
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^x-system-[0-9a-f]{26}$/);
  });

  test("has the version of its cluster and t3.medium by default", async () => {
    const cloud = await clusterForNodes();
    const { clusterName, nodeGroupName, nodeRoleArn, subnetIds, scalingConfig } = groupInputs;
    const least = { clusterName, nodeGroupName, nodeRoleArn, subnetIds, scalingConfig };
    const { computed } = await cloud.create(types.nodeGroup, least);
    expect(computed).toMatchObject({
      amiType: "AL2023_x86_64_STANDARD",
      capacityType: "ON_DEMAND",
      instanceTypes: ["t3.medium"],
      releaseVersion: amiRelease,
      version: kubernetesVersion,
      updateConfig: { maxUnavailable: 1 },
    });
    expect(cloud.find(types.instance)[0]?.inputs["instanceType"]).toBe("t3.medium");
    const [security] = cloud.find(types.securityGroup, { vpcId: "vpc-1" }).filter(({ id }) => id !== "sg-nodes");
    expect(cloud.find(types.instance)[0]?.inputs["vpcSecurityGroupIds"]).toEqual([security?.id]);
  });

  test("uses its launch template, by id or name", async () => {
    const cloud = await clusterForNodes();
    const tagSpecifications = [
      { resourceType: "volume", tags: { of: "volume" } },
      { resourceType: "instance", tags: { of: "instance" } },
    ];
    cloud.drift(types.launchTemplate, "lt-1", { instanceType: "m7i.large", tagSpecifications });
    const { instanceTypes: _, ...inputs } = groupInputs;
    await cloud.create(types.nodeGroup, { ...inputs, launchTemplate: { name: "nodes", version: "1" } });
    expect(cloud.find(types.instance)[0]?.inputs).toMatchObject({
      instanceType: "m7i.large",
      vpcSecurityGroupIds: ["sg-nodes"],
      tags: { of: "instance", "eks:cluster-name": "lab" },
    });
  });

  test("uses the security groups of the template's network interfaces", async () => {
    const cloud = await clusterForNodes();
    cloud.drift(types.launchTemplate, "lt-1", {
      vpcSecurityGroupIds: undefined,
      networkInterfaces: [{ securityGroups: ["sg-nodes"] }, { securityGroups: ["sg-nodes"] }],
    });
    await makeGroup(cloud);
    expect(cloud.find(types.instance)[0]?.inputs["vpcSecurityGroupIds"]).toEqual(["sg-nodes"]);
  });

  test("has nodes with labels and taints", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, {
      ...gpuInputs,
      labels: { tier: "gpu" },
      scalingConfig: { desiredSize: 1, minSize: 0, maxSize: 4 },
    });
    expect(nodesOf(cloud, "lab")).toEqual([
      {
        name: cloud.find(types.instance)[0]?.id,
        labels: {
          tier: "gpu",
          "kubernetes.io/os": "linux",
          "eks.amazonaws.com/nodegroup": "gpu",
          "node.kubernetes.io/instance-type": "g5.xlarge",
          "topology.kubernetes.io/zone": "ap-northeast-2a",
        },
        taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
        gpus: 1,
        ready: true,
      },
    ]);
  });
});

describe("EKS rejects a node group", () => {
  test.for<[string, Properties, string]>([
    ["of no cluster", { clusterName: "x" }, "ResourceNotFoundException: No cluster found for name: x."],
    ["without its role", { nodeRoleArn: "arn:aws:iam::1:role/a/x" }, invalid("The role with name x cannot be found.")],
    ["without its subnet", { subnetIds: ["subnet-x"] }, invalid("The subnet ID 'subnet-x' does not exist")],
    [
      "without its launch template",
      { launchTemplate: { id: "lt-x", version: "1" } },
      "InvalidRequestException: The specified launch template, with template ID lt-x, does not exist.",
    ],
    [
      "a disk size and a template",
      { diskSize: 30 },
      invalid("Disk size must be specified within the launch template."),
    ],
    [
      "with remote access and a template",
      { remoteAccess: { ec2SshKey: "me" } },
      invalid("Remote access configuration cannot be specified with a launch template."),
    ],
    [
      "with more nodes wanted than allowed",
      { scalingConfig: { desiredSize: 3, minSize: 0, maxSize: 1 } },
      invalid("desired capacity 3 can't be greater than max size 1"),
    ],
    [
      "with fewer nodes wanted than needed",
      { scalingConfig: { desiredSize: 0, minSize: 1, maxSize: 2 } },
      invalid("Minimum capacity 1 can't be greater than desired size 0"),
    ],
    [
      "that can never have a node",
      { scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 0 } },
      invalid("maxSize must be greater than or equal to 1"),
    ],
    [
      "of less than nothing",
      { scalingConfig: { desiredSize: 0, minSize: -1, maxSize: 1 } },
      invalid("minSize must be greater than or equal to 0"),
    ],
    [
      "newer than its cluster",
      { version: minorVersion(1), releaseVersion: undefined },
      invalid(
        `Nodegroup Kubernetes version ${minorVersion(1)} cannot be newer than cluster version ${kubernetesVersion}`,
      ),
    ],
    [
      "of an image for another version",
      { releaseVersion: `${minorVersion(-1)}.2-20260930` },
      invalid(
        `Requested release version ${minorVersion(-1)}.2-20260930 is not valid for kubernetes version ${kubernetesVersion}.`,
      ),
    ],
    [
      "of a release that is none",
      { releaseVersion: "latest" },
      invalid(`Requested release version latest is not valid for kubernetes version ${kubernetesVersion}.`),
    ],
    [
      "of another architecture than its image",
      { instanceTypes: ["t4g.medium", "t3.medium"] },
      invalid("[t4g.medium] is not a valid instance type for requested amiType AL2023_x86_64_STANDARD"),
    ],
    [
      "of an own image without a template",
      { amiType: "CUSTOM", launchTemplate: undefined },
      invalid("Launch template details can't be null for Custom ami type node group"),
    ],
    [
      "with a block of capacity in two zones",
      { capacityType: "CAPACITY_BLOCK" },
      invalid(
        "A capacity reservation is in one Availability Zone, and the subnets are in ap-northeast-2a, ap-northeast-2b",
      ),
    ],
    [
      "with a wait before repair that is no multiple of ten",
      { nodeRepairConfig: { enabled: true, nodeRepairConfigOverrides: [{ minRepairWaitTimeMins: 15 }] } },
      invalid("minRepairWaitTimeMins must be between 10 and 120 and a multiple of 10"),
    ],
  ])("%s", async ([, over, message]) => {
    const cloud = await clusterForNodes();
    const before = contents(cloud);
    const given = { ...groupInputs, ...over };
    const inputs = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    expect(await messageOf(cloud.create(types.nodeGroup, inputs))).toBe(message);
    expect(contents(cloud)).toEqual(before);
  });

  test.for<[string, Properties, Properties, string]>([
    [
      "instance types in both places",
      { instanceType: "t3.large" },
      {},
      invalid("Cannot specify instance types in launch template and API request"),
    ],
    [
      "a version and a custom AMI",
      { imageId: "ami-1" },
      { releaseVersion: undefined, amiType: undefined },
      invalid("You cannot specify the field kubernetesVersion when using custom AMIs"),
    ],
    [
      "a release and a custom AMI",
      { imageId: "ami-1" },
      { version: undefined, amiType: undefined },
      invalid("You cannot specify the field releaseVersion when using custom AMIs"),
    ],
    [
      "an AMI type and a custom AMI",
      { imageId: "ami-1" },
      { version: undefined, releaseVersion: undefined },
      invalid("You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template."),
    ],
    [
      "an own image alone",
      { imageId: "ami-1" },
      { version: undefined, releaseVersion: undefined, amiType: undefined },
      "no error",
    ],
    [
      "an own image of another architecture",
      { imageId: "ami-1" },
      { version: undefined, releaseVersion: undefined, amiType: "CUSTOM", instanceTypes: ["t4g.medium"] },
      "no error",
    ],
    [
      "a subnet in the template",
      { vpcSecurityGroupIds: undefined, networkInterfaces: [{ subnetId: "subnet-a" }] },
      {},
      invalid("You must not specify a subnet in your launch template. All subnets must be specified in the API."),
    ],
    [
      "security groups and network interfaces",
      { networkInterfaces: [{ securityGroups: ["sg-nodes"] }] },
      {},
      invalid("Network interfaces and an instance-level security groups may not be specified on the same request"),
    ],
    [
      "a reservation in two zones",
      { capacityReservationSpecification: { capacityReservationTarget: { capacityReservationId: "cr-1" } } },
      {},
      invalid(
        "A capacity reservation is in one Availability Zone, and the subnets are in ap-northeast-2a, ap-northeast-2b",
      ),
    ],
    [
      "a reservation in one zone",
      { capacityReservationSpecification: { capacityReservationTarget: { capacityReservationId: "cr-1" } } },
      { subnetIds: ["subnet-a"] },
      "no error",
    ],
  ])("but accepts one with %s", async ([, template, over, message]) => {
    const cloud = await clusterForNodes();
    cloud.drift(types.launchTemplate, "lt-1", template);
    const given = { ...groupInputs, ...over };
    const inputs = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    expect(await messageOf(cloud.create(types.nodeGroup, inputs))).toBe(message);
  });

  test("whose name exists in the cluster", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    expect(await messageOf(makeGroup(cloud))).toBe(
      "ResourceInUseException: NodeGroup already exists with name system and cluster name lab",
    );
  });
});

describe("nodes", () => {
  const failed = (cloud: { find: (type: string) => readonly { id: string }[] }, issue: string) => {
    const instances = cloud.find(types.instance).map(({ id }) => id);
    const state = "unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'";
    return `waiting for EKS Node Group (lab:system) create: ${state}. last error: ${instances.join(", ")}: ${issue}`;
  };

  test.for([
    ["without add-ons", []],
    ["without kube-proxy", ["vpc-cni"]],
    ["without vpc-cni", ["kube-proxy"]],
  ] as const)("do not become ready %s", async ([, addons]) => {
    const cloud = foundation();
    await makeCluster(cloud);
    for (const name of addons) await makeAddon(cloud, name);
    expect(await messageOf(makeGroup(cloud))).toBe(
      failed(cloud, "NodeCreationFailure: Unhealthy nodes in the kubernetes cluster"),
    );
    expect(cloud.find(types.nodeGroup)[0]?.computed["status"]).toBe("CREATE_FAILED");
    expect(nodesOf(cloud, "lab").map(({ ready }) => ready)).toEqual([false, false]);
  });

  test("become ready in a cluster with self-managed add-ons", async () => {
    const cloud = foundation();
    await makeCluster(cloud, { bootstrapSelfManagedAddons: true });
    expect(await messageOf(makeGroup(cloud))).toBe("no error");
  });

  test("do not join without the policy of their role", async () => {
    const cloud = await clusterForNodes();
    cloud.remove(types.rolePolicyAttachment, "nodes/arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy");
    expect(await messageOf(makeGroup(cloud))).toBe(
      failed(cloud, "NodeCreationFailure: Instances failed to join the kubernetes cluster"),
    );
  });

  test("become not ready when their role is deleted", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    cloud.remove(types.role, "nodes");
    expect(nodesOf(cloud, "lab").map(({ ready }) => ready)).toEqual([false, false]);
  });

  test("are not required in a group of size 0", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    const none = { scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 2 } };
    expect(await messageOf(makeGroup(cloud, none))).toBe("no error");
  });

  test("do not repair a group whose creation failed", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    await expect(makeGroup(cloud)).rejects.toBeInstanceOf(IncompleteError);
    await makeAddon(cloud, "vpc-cni");
    await makeAddon(cloud, "kube-proxy");
    const { computed } = await cloud.update(types.nodeGroup, "lab:system", groupInputs);
    expect(computed["status"]).toBe("CREATE_FAILED");
  });

  test("are not asked for in a group whose creation failed, and EC2 Auto Scaling does not heal it", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    await expect(makeGroup(cloud)).rejects.toBeInstanceOf(IncompleteError);
    await makeAddon(cloud, "vpc-cni");
    await makeAddon(cloud, "kube-proxy");
    const message = "Nodegroup cannot be updated as it is currently not in Active State";
    expect(() => scaleNodeGroup(cloud, "system", 1)).toThrow(message);
    const scalingConfig = { desiredSize: 1, minSize: 0, maxSize: 2 };
    expect(await messageOf(cloud.update(types.nodeGroup, "lab:system", { ...groupInputs, scalingConfig }))).toBe(
      `ResourceInUseException: ${message}`,
    );
    const [group] = cloud.find(types.nodeGroup);
    if (group) reconcileSize(cloud, group);
    expect(cloud.find(types.nodeGroup)[0]?.computed["status"]).toBe("CREATE_FAILED");
  });
});

/** @see https://github.com/aws-ia/terraform-aws-eks-blueprints/issues/1873 */
const notJoining = (name: string) =>
  new RegExp(
    `^waiting for EKS Node Group \\(lab:${name}\\) version update \\([0-9a-f-]{36}\\): unexpected state 'Failed', wanted ` +
      "target 'Successful'. last error: : NodeCreationFailure: Couldn't proceed with upgrade process as new nodes are not " +
      `joining node group ${name}$`,
  );

describe("the vCPU quota", () => {
  const sizes = (desiredSize: number) => ({ scalingConfig: { desiredSize, minSize: 0, maxSize: 4 } });

  test("prevents the launch of GPU nodes", async () => {
    const cloud = await clusterForNodes({ account: { gpuVcpuQuota: 4 } });
    expect(await messageOf(makeGroup(cloud, { ...gpuInputs, ...sizes(2) }))).toContain(
      "AsgInstanceLaunchFailures: Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more " +
        "vCPU capacity than your current vCPU limit of 4 allows",
    );
    expect(cloud.find(types.instance)).toHaveLength(1);
    expect(gpuVcpusInUse(cloud)).toBe(4);
  });

  test("counts the nodes of all groups", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, { ...gpuInputs, ...sizes(1) });
    expect(await messageOf(makeGroup(cloud, { ...gpuInputs, ...sizes(2), nodeGroupName: "more" }))).toContain(
      "vCPU limit of 8",
    );
  });

  test("degrades a group that is scaled up, and does not fail the update", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, gpuInputs);
    const { computed } = await cloud.update(types.nodeGroup, "lab:gpu", { ...gpuInputs, ...sizes(3) });
    expect(computed["status"]).toBe("DEGRADED");
    expect(cloud.find(types.instance)).toHaveLength(2);
    const down = await cloud.update(types.nodeGroup, "lab:gpu", { ...gpuInputs, ...sizes(2) });
    expect(down.computed["status"]).toBe("ACTIVE");
  });

  test.for([
    ["of another family", { instanceTypes: ["m7i.4xlarge"], amiType: "AL2023_x86_64_STANDARD" }],
    ["bought on the spot market", { capacityType: "SPOT" }],
  ] as const)("does not apply to instances %s", async ([, over]) => {
    const cloud = await clusterForNodes({ account: { gpuVcpuQuota: 0 } });
    expect(await messageOf(makeGroup(cloud, { ...gpuInputs, ...sizes(2), ...over }))).toBe("no error");
  });

  const rolling = async (updateStrategy: "DEFAULT" | "MINIMAL") => {
    const cloud = await clusterForNodes();
    const inputs = { ...gpuInputs, ...sizes(2), updateConfig: { maxUnavailable: 1, updateStrategy } };
    await makeGroup(cloud, inputs);
    const update = (over: Properties) => cloud.update(types.nodeGroup, "lab:gpu", { ...inputs, ...over });
    const instances = () => cloud.find(types.instance, { nodeGroupId: "lab:gpu" }).map(({ id }) => id);
    return { cloud, update, instances, before: instances() };
  };
  const newer = { releaseVersion: laterAmiRelease };

  test("fails an update that needs extra nodes, and the group stays as it is", async () => {
    const { cloud, update, instances, before } = await rolling("DEFAULT");
    expect(await messageOf(update({ ...newer, labels: { a: "b" } }))).toMatch(notJoining("gpu"));
    expect(instances()).toEqual(before);
    const group = cloud.get(types.nodeGroup, "lab:gpu");
    expect(group).toMatchObject({
      inputs: { releaseVersion: gpuInputs["releaseVersion"] },
      computed: { status: "ACTIVE" },
    });
    expect(group?.inputs).not.toHaveProperty("labels");
    expect(await messageOf(update({ labels: { a: "b" } }))).toBe("no error");
    cloud.account.gpuVcpuQuota = 16;
    expect(await messageOf(update(newer))).toBe("no error");
    expect(instances().filter((id) => before.includes(id))).toEqual([]);
  });

  test("allows an update with strategy MINIMAL; if other nodes use the quota, the terminated node is lost", async () => {
    const { cloud, update, instances, before } = await rolling("MINIMAL");
    expect(await messageOf(update(newer))).toBe("no error");
    expect(instances().filter((id) => before.includes(id))).toEqual([]);
    put(cloud, types.instance, "i-other", { instanceType: "g5.xlarge" });
    expect(await messageOf(update({ releaseVersion: latestAmiRelease }))).toMatch(notJoining("gpu"));
    expect(instances()).toHaveLength(1);
    expect(cloud.get(types.nodeGroup, "lab:gpu")).toMatchObject({ inputs: newer, computed: { status: "DEGRADED" } });
  });

  test("does not matter for an update that replaces no node", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud, gpuInputs);
    const update = cloud.update(types.nodeGroup, "lab:gpu", { ...gpuInputs, releaseVersion: laterAmiRelease });
    expect(await messageOf(update)).toBe("no error");
  });
});

describe("an update of a node group", () => {
  test("of its image replaces every node", async () => {
    const cloud = await clusterForNodes();
    const { computed: first } = await makeGroup(cloud);
    const before = cloud.find(types.instance).map(({ id }) => id);
    const { computed } = await cloud.update(types.nodeGroup, "lab:system", {
      ...groupInputs,
      releaseVersion: laterAmiRelease,
    });
    const after = cloud.find(types.instance).map(({ id }) => id);
    expect(after).toHaveLength(2);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    expect(computed).toMatchObject({ arn: first["arn"], resources: first["resources"], status: "ACTIVE" });
  });

  test("of its image fails if new nodes do not join, and keeps the old ones", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    const before = cloud.find(types.instance);
    await cloud.delete(types.addon, "lab:vpc-cni");
    const newer = { ...groupInputs, releaseVersion: laterAmiRelease };
    expect(await messageOf(cloud.update(types.nodeGroup, "lab:system", newer))).toMatch(notJoining("system"));
    expect(cloud.find(types.instance)).toEqual(before);
    expect(cloud.find(types.nodeGroup)[0]?.inputs).toEqual(groupInputs);
  });

  test("of its labels keeps the version from its creation", async () => {
    const cloud = await clusterForNodes();
    const { version, releaseVersion, ...unstated } = groupInputs;
    expect([version, releaseVersion]).not.toContain(undefined);
    await cloud.create(types.nodeGroup, unstated);
    const before = cloud.find(types.instance);
    cloud.drift(types.cluster, "lab", { version: minorVersion(1) });
    const { computed } = await cloud.update(types.nodeGroup, "lab:system", { ...unstated, labels: { a: "b" } });
    expect(computed["version"]).toBe(kubernetesVersion);
    expect(cloud.find(types.instance)).toEqual(before);
  });

  test("of its labels keeps every node", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    const before = cloud.find(types.instance).map(({ id }) => id);
    await cloud.update(types.nodeGroup, "lab:system", { ...groupInputs, labels: { tier: "primary" } });
    expect(cloud.find(types.instance).map(({ id }) => id)).toEqual(before);
  });

  test("of its sizes launches nodes, or terminates the newest ones", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    const before = cloud.find(types.instance).map(({ id }) => id);
    const size = (desiredSize: number) => ({ scalingConfig: { desiredSize, minSize: 1, maxSize: 4 } });
    await cloud.update(types.nodeGroup, "lab:system", { ...groupInputs, ...size(4) });
    expect(cloud.find(types.instance)).toHaveLength(4);
    await cloud.update(types.nodeGroup, "lab:system", { ...groupInputs, ...size(1) });
    expect(cloud.find(types.instance).map(({ id }) => id)).toEqual(before.slice(0, 1));
    expect(cloud.find(types.autoscalingGroup)[0]?.inputs["desiredCapacity"]).toBe(1);
  });

  test("is rejected where a create would be", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    const scalingConfig = { desiredSize: 2, minSize: 3, maxSize: 4 };
    expect(await messageOf(cloud.update(types.nodeGroup, "lab:system", { ...groupInputs, scalingConfig }))).toBe(
      invalid("Minimum capacity 3 can't be greater than desired size 2"),
    );
  });

  test.for([
    ["amiType", "AL2023_x86_64_NVIDIA", true],
    ["capacityType", "SPOT", true],
    ["clusterName", "other", true],
    ["diskSize", 30, true],
    ["instanceTypes", ["t3.large"], true],
    ["launchTemplate", { id: "lt-2", version: "1" }, true],
    ["launchTemplate", { name: "nodes", version: "1" }, true],
    ["nodeGroupName", "other", true],
    ["nodeGroupNamePrefix", "other-", true],
    ["nodeRoleArn", roles.pods, true],
    ["remoteAccess", { ec2SshKey: "me" }, true],
    ["subnetIds", ["subnet-a"], true],
    ["labels", { a: "b" }, false],
    ["launchTemplate", { id: "lt-1", version: "2" }, false],
    ["nodeRepairConfig", { enabled: true }, false],
    ["releaseVersion", laterAmiRelease, false],
    ["scalingConfig", { desiredSize: 3, minSize: 1, maxSize: 4 }, false],
    ["tags", { a: "b" }, false],
    ["taints", [{ key: "a", effect: "NO_SCHEDULE" }], false],
    ["updateConfig", { maxUnavailable: 2 }, false],
    ["version", minorVersion(1), false],
  ] as const)("of %s to %j replaces the group: %s", ([key, value, replaces]) => {
    const changes = changesOf(foundation().modelOf(types.nodeGroup), groupInputs, { ...groupInputs, [key]: value });
    expect(changes.some((change) => change.replaces)).toBe(replaces);
    expect(changes).not.toEqual([]);
  });
});

test("of the launch template's name replaces the group", () => {
  const named = (name: string) => ({ ...groupInputs, launchTemplate: { name, version: "1" } });
  const changes = changesOf(foundation().modelOf(types.nodeGroup), named("a"), named("b"));
  expect(changes).toEqual([{ path: "launchTemplate.name", kind: "update", replaces: true }]);
});

describe("the deletion of a node group", () => {
  test("removes its nodes, and must precede the deletion of its cluster", async () => {
    const cloud = await clusterForNodes();
    const before = contents(cloud);
    await makeGroup(cloud);
    expect(await messageOf(cloud.delete(types.cluster, "lab"))).toBe(
      "ResourceInUseException: Cluster has nodegroups attached",
    );
    await cloud.delete(types.nodeGroup, "lab:system");
    expect(contents(cloud)).toEqual(before);
    expect(await messageOf(cloud.delete(types.cluster, "lab"))).toBe("no error");
  });

  test.for([
    [
      "subnet",
      types.subnet,
      "subnet-c",
      "DependencyViolation: The subnet 'subnet-c' has dependencies and cannot be deleted.",
    ],
    [
      "security group",
      types.securityGroup,
      "sg-nodes",
      "DependencyViolation: resource sg-nodes has a dependent object",
    ],
  ] as const)("must precede the deletion of the %s of its nodes", async ([, type, id, message]) => {
    const cloud = await clusterForNodes();
    put(cloud, types.subnet, "subnet-c", { vpcId: "vpc-1", availabilityZone: "ap-northeast-2c" });
    const inputs = { ...groupInputs, subnetIds: ["subnet-c"] };
    await makeGroup(cloud, inputs);
    expect(await messageOf(cloud.delete(type, id))).toBe(message);
    const scalingConfig = { desiredSize: 0, minSize: 0, maxSize: 4 };
    await cloud.update(types.nodeGroup, "lab:system", { ...inputs, scalingConfig });
    expect(await messageOf(cloud.delete(type, id))).toBe("no error");
  });
});

test.for<[string, Properties, string[]]>([
  ["nothing is wrong", {}, []],
  ["sizes are unknown", { scalingConfig: unknownSentinel }, []],
  ["a size is unknown", { scalingConfig: { desiredSize: 1, minSize: 1, maxSize: unknownSentinel } }, []],
  [
    "impossible",
    { scalingConfig: { desiredSize: -1, minSize: -1, maxSize: 0 } },
    ["desiredSize", "maxSize", "minSize"],
  ],
  ["a size is left out", { scalingConfig: { minSize: 1, maxSize: 1 } }, ["desiredSize"]],
])("the provider checks sizes: %s", ([, over, properties]) => {
  const check = foundation().modelOf(types.nodeGroup).check;
  const failures = check?.({ ...groupInputs, ...over }).map(({ property }) => property);
  expect(failures).toEqual(properties.map((property) => `scalingConfig.${property}`));
});

test.for<[string, Properties, string[]]>([
  ["both", { nodeGroupNamePrefix: "a-" }, ["nodeGroupName"]],
  ["a prefix that is unknown", { nodeGroupName: undefined, nodeGroupNamePrefix: unknownSentinel }, []],
  ["the longest prefix", { nodeGroupName: undefined, nodeGroupNamePrefix: "a".repeat(37) }, []],
  ["a longer one", { nodeGroupName: undefined, nodeGroupNamePrefix: "a".repeat(38) }, ["nodeGroupNamePrefix"]],
])("the provider checks name and prefix: %s", ([, over, properties]) => {
  const check = foundation().modelOf(types.nodeGroup).check;
  expect(check?.({ ...groupInputs, ...over }).map(({ property }) => property)).toEqual(properties);
});
