import { describe, expect, test } from "vitest";
import { eksTypes } from "../../../../../simulation/aws/eks/types";
import { types } from "../../../../../simulation/aws/types";
import { changesOf } from "../../../../../simulation/world/diff";
import { IncompleteError } from "../../../../../simulation/world/cloud-error";
import { unknownSentinel, type Properties } from "../../../../../components/core/wire";
import { clusterInputs, contents, foundation, keyArn, makeCluster, messageOf, put } from "../foundation";

const vpcConfig = clusterInputs["vpcConfig"] as Properties;

describe("a cluster that is made", () => {
  test("has what EKS adds to it", async () => {
    const world = foundation();
    const { computed } = await makeCluster(world);
    expect(computed).toMatchObject({
      arn: "arn:aws:eks:ap-northeast-2:123456789012:cluster/lab",
      endpoint: expect.stringMatching(/^https:\/\/[0-9A-F]{32}\.gr7\.ap-northeast-2\.eks\.amazonaws\.com$/) as string,
      identities: [
        {
          oidcs: [
            { issuer: expect.stringMatching(/^https:\/\/oidc\.eks\.ap-northeast-2\.amazonaws\.com\/id\//) as string },
          ],
        },
      ],
      certificateAuthority: { data: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) as string },
      status: "ACTIVE",
      vpcConfig: {
        vpcId: "vpc-1",
        subnetIds: ["subnet-a", "subnet-b"],
        clusterSecurityGroupId: expect.stringMatching(/^sg-[0-9a-f]{17}$/) as string,
      },
      kubernetesNetworkConfig: { ipFamily: "ipv4", serviceIpv4Cidr: "10.100.0.0/16" },
    });
    expect(world.history.at(-1)).toMatchObject({ operation: "create", from: 0, to: 600 });
  });

  test("has a security group in the VPC, and its creator as an admin", async () => {
    const world = foundation();
    const { computed } = await makeCluster(world);
    const { clusterSecurityGroupId } = computed["vpcConfig"] as { clusterSecurityGroupId: string };
    expect(world.get(types.securityGroup, clusterSecurityGroupId)?.inputs).toMatchObject({
      vpcId: "vpc-1",
      tags: { "kubernetes.io/cluster/lab": "owned" },
    });
    expect(world.find(eksTypes.accessEntry).map(({ id }) => id)).toEqual([`lab:${world.account.caller}`]);
    expect(world.find(eksTypes.accessPolicyAssociation)[0]?.inputs["policyArn"]).toBe(
      "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    );
  });

  test.for([
    ["when that is not asked for", { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false }],
    ["where the aws-auth ConfigMap decides", { authenticationMode: "CONFIG_MAP" }],
  ] as const)("has no entry of its creator %s", async ([, accessConfig]) => {
    const world = foundation();
    await makeCluster(world, { accessConfig });
    expect(world.find(eksTypes.accessEntry)).toEqual([]);
  });

  test("gets another endpoint when it is made again", async () => {
    const world = foundation();
    const { computed: first } = await makeCluster(world);
    await world.delete(eksTypes.cluster, "lab");
    const { computed: second } = await makeCluster(world);
    expect(second["endpoint"]).not.toBe(first["endpoint"]);
  });

  test("runs the newest Kubernetes where none is asked for", async () => {
    const { version: _, ...inputs } = clusterInputs;
    const { computed } = await foundation().create(eksTypes.cluster, inputs);
    expect(computed["version"]).toBe("1.36");
  });

  test("takes services out of another range where the VPC is in 10.0.0.0/8", async () => {
    const world = foundation();
    world.drift(types.vpc, "vpc-1", { cidrBlock: "10.1.0.0/16" });
    const { computed } = await makeCluster(world);
    expect(computed["kubernetesNetworkConfig"]).toMatchObject({ serviceIpv4Cidr: "172.20.0.0/16" });
  });
});

describe("a log group", () => {
  const name = "/aws/eks/lab/cluster";
  const logs = { enabledClusterLogTypes: ["api", "audit"] };

  test("that comes after the cluster exists already", async () => {
    const world = foundation();
    await makeCluster(world, logs);
    expect(await messageOf(world.create(types.logGroup, { name }))).toBe(
      "ResourceAlreadyExistsException: The specified log group already exists",
    );
  });

  test("that comes before the cluster stays as it is", async () => {
    const world = foundation();
    await world.create(types.logGroup, { name, retentionInDays: 7 });
    await makeCluster(world, logs);
    expect(world.find(types.logGroup).map(({ inputs }) => inputs)).toEqual([{ name, retentionInDays: 7 }]);
  });

  test("that goes before the cluster is there again", async () => {
    const world = foundation();
    await world.create(types.logGroup, { name, retentionInDays: 7 });
    await makeCluster(world, logs);
    await world.delete(types.logGroup, name);
    await world.delete(eksTypes.cluster, "lab");
    expect(world.get(types.logGroup, name)?.inputs).toEqual({ name, retentionInDays: 0 });
  });

  test("is not made for a cluster that writes none", async () => {
    const world = foundation();
    await makeCluster(world);
    expect(world.find(types.logGroup)).toEqual([]);
  });
});

describe("EKS refuses a cluster", () => {
  test.for([
    [
      "of a role that is not there",
      { roleArn: "arn:aws:iam::1:role/x" },
      "roleArn, arn:aws:iam::1:role/x, does not exist",
    ],
    [
      "in a subnet that is not there",
      { vpcConfig: { subnetIds: ["subnet-x"] } },
      "The subnet ID 'subnet-x' does not exist",
    ],
    [
      "in one zone",
      { vpcConfig: { ...vpcConfig, subnetIds: ["subnet-a"] } },
      "Subnets specified must be in at least two different AZs",
    ],
    ["of an old version", { version: "1.29" }, "unsupported Kubernetes version 1.29"],
    ["of a patch", { version: "1.35.2" }, "unsupported Kubernetes version 1.35.2"],
    [
      "open to an example's addresses",
      { vpcConfig: { ...vpcConfig, publicAccessCidrs: ["8.8.8.8/32", "203.0.113.0/24", "198.51.100.7/32"] } },
      "The following CIDRs are not allowed in publicAccessCidrs: [203.0.113.0/24, 198.51.100.7/32]",
    ],
    [
      "open to private addresses",
      { vpcConfig: { ...vpcConfig, publicAccessCidrs: ["10.0.0.0/16"] } },
      "The following CIDRs are not allowed in publicAccessCidrs: [10.0.0.0/16]",
    ],
    [
      "open to IPv6",
      { vpcConfig: { ...vpcConfig, publicAccessCidrs: ["::/0"] } },
      "The following CIDRs are invalid in publicAccessCidrs: [::/0]",
    ],
    [
      "without an endpoint",
      { vpcConfig: { ...vpcConfig, endpointPrivateAccess: false, endpointPublicAccess: false } },
      "Private and public endpoint access cannot be false",
    ],
    [
      "with a key that is not there",
      { encryptionConfig: { provider: { keyArn: "arn:x" }, resources: ["secrets"] } },
      "The keyArn in encryptionConfig provider is not found: arn:x",
    ],
    [
      "with a security group that is not there",
      { vpcConfig: { ...vpcConfig, securityGroupIds: ["sg-x"] } },
      "The security group 'sg-x' does not exist",
    ],
  ] as const)("%s", async ([, over, words]) => {
    const world = foundation();
    const before = contents(world);
    expect(await messageOf(makeCluster(world, over))).toBe(`InvalidParameterException: ${words}`);
    expect(contents(world)).toEqual(before);
  });

  test("whose role has not got its policy yet", async () => {
    const world = foundation();
    world.lose(types.rolePolicyAttachment, "cluster/arn:aws:iam::aws:policy/AmazonEKSClusterPolicy");
    expect(await messageOf(makeCluster(world))).toContain(
      "The provided role doesn't have the Amazon EKS Managed Policies",
    );
    put(world, types.rolePolicy, "cluster:own", { role: "cluster", name: "own" });
    expect(await messageOf(makeCluster(world))).toBe("no error");
  });

  test("whose name is taken", async () => {
    const world = foundation();
    await makeCluster(world);
    expect(await messageOf(makeCluster(world))).toBe("ResourceInUseException: Cluster already exists with name: lab");
  });

  test("that takes any address is none of them", async () => {
    const open = { vpcConfig: { ...vpcConfig, publicAccessCidrs: ["0.0.0.0/0"] } };
    expect(await messageOf(makeCluster(foundation(), open))).toBe("no error");
  });
});

test("the provider fills in what is left out inside of an input, where that is known", () => {
  const { refine } = foundation().kindOf(eksTypes.cluster);
  expect(refine?.({ name: "a", vpcConfig: { subnetIds: [], endpointPrivateAccess: true } })).toEqual({
    name: "a",
    vpcConfig: { subnetIds: [], endpointPrivateAccess: true, endpointPublicAccess: true },
  });
  const unknown = { accessConfig: unknownSentinel, vpcConfig: unknownSentinel };
  expect(refine?.(unknown)).toEqual(unknown);
});

describe("an update of a cluster", () => {
  test.for([
    ["one minor up", "1.36", "no error"],
    ["two minors up", "1.37", "InvalidParameterException: unsupported Kubernetes version 1.37"],
    ["down", "1.34", "InvalidParameterException: Unsupported Kubernetes minor version update from 1.35 to 1.34"],
    ["to the same", "1.35", "no error"],
  ] as const)("%s", async ([, version, message]) => {
    const world = foundation();
    await makeCluster(world);
    const update = world.update(eksTypes.cluster, "lab", { ...clusterInputs, version });
    expect(await messageOf(update)).toBe(message);
  });

  test("that skips a minor", async () => {
    const world = foundation();
    await makeCluster(world, { version: "1.34" });
    const update = world.update(eksTypes.cluster, "lab", { ...clusterInputs, version: "1.36" });
    expect(await messageOf(update)).toBe(
      "InvalidParameterException: Unsupported Kubernetes minor version update from 1.34 to 1.36",
    );
  });

  test("keeps what the cluster was born with", async () => {
    const world = foundation();
    const { computed } = await makeCluster(world);
    const updated = await world.update(eksTypes.cluster, "lab", { ...clusterInputs, version: "1.36" });
    const { arn, endpoint, identities, certificateAuthority, createdAt, vpcConfig } = computed;
    expect(updated.computed).toMatchObject({ arn, endpoint, identities, certificateAuthority, createdAt, vpcConfig });
    expect(world.find(types.securityGroup)).toHaveLength(2);
  });

  test("does not bring back the entry of the creator", async () => {
    const world = foundation();
    await makeCluster(world);
    await world.delete(eksTypes.accessEntry, `lab:${world.account.caller}`);
    await world.update(eksTypes.cluster, "lab", { ...clusterInputs, enabledClusterLogTypes: ["api"] });
    expect(world.find(eksTypes.accessEntry)).toEqual([]);
  });

  test("is refused where its making would be", async () => {
    const world = foundation();
    await makeCluster(world);
    const update = (config: Properties) =>
      messageOf(world.update(eksTypes.cluster, "lab", { ...clusterInputs, vpcConfig: { ...vpcConfig, ...config } }));
    expect(await update({ subnetIds: ["subnet-a"] })).toContain("at least two different AZs");
    expect(await update({ publicAccessCidrs: ["192.0.2.1/32"] })).toContain("not allowed in publicAccessCidrs");
  });

  test("finds no way back from access entries", async () => {
    const world = foundation();
    await makeCluster(world);
    const accessConfig = { authenticationMode: "CONFIG_MAP" };
    expect(await messageOf(world.update(eksTypes.cluster, "lab", { ...clusterInputs, accessConfig }))).toBe(
      "InvalidParameterException: Unsupported authentication mode update from API to CONFIG_MAP",
    );
  });

  test.for([
    ["the name", { name: "other" }, ["name"]],
    ["the role", { roleArn: "arn:x" }, ["roleArn"]],
    ["the add-ons it is born with", { bootstrapSelfManagedAddons: true }, ["bootstrapSelfManagedAddons"]],
    [
      "who is an admin at first",
      { accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false } },
      ["accessConfig.bootstrapClusterCreatorAdminPermissions"],
    ],
    ["the way to come in", { accessConfig: { authenticationMode: "API_AND_CONFIG_MAP" } }, []],
    [
      "the addresses of services",
      { kubernetesNetworkConfig: { serviceIpv4Cidr: "10.96.0.0/16" } },
      ["kubernetesNetworkConfig"],
    ],
    ["the addresses' family", { kubernetesNetworkConfig: { ipFamily: "ipv6" } }, ["kubernetesNetworkConfig"]],
    ["the place", { outpostConfig: { outpostArns: [] } }, ["outpostConfig"]],
    ["the version", { version: "1.36" }, []],
    ["a subnet", { vpcConfig: { ...vpcConfig, subnetIds: ["subnet-a", "subnet-c"] } }, []],
    ["the log types", { enabledClusterLogTypes: ["api"] }, []],
    ["a key that is added", { encryptionConfig: { provider: { keyArn }, resources: ["secrets"] } }, []],
  ] as const)("of %s replaces or does not", ([, over, replacing]) => {
    const kind = foundation().kindOf(eksTypes.cluster);
    const news = kind.refine?.({ ...clusterInputs, ...over }) ?? {};
    const changes = changesOf(kind, clusterInputs, news);
    expect(changes.filter(({ replaces }) => replaces).map(({ path }) => path)).toEqual(replacing);
    expect(changes).not.toEqual([]);
  });

  test("that takes the key away replaces the cluster", () => {
    const olds = { ...clusterInputs, encryptionConfig: { provider: { keyArn }, resources: ["secrets"] } };
    const changes = changesOf(foundation().kindOf(eksTypes.cluster), olds, clusterInputs);
    expect(changes).toEqual([{ path: "encryptionConfig", kind: "delete", replaces: true }]);
  });
});

describe("a cluster that goes", () => {
  test("takes its security group and its entries along", async () => {
    const world = foundation();
    const before = contents(world);
    await makeCluster(world, { encryptionConfig: { provider: { keyArn }, resources: ["secrets"] } });
    await world.delete(eksTypes.cluster, "lab");
    expect(contents(world)).toEqual(before);
  });

  test("stays while it is protected", async () => {
    const world = foundation();
    await makeCluster(world, { deletionProtection: true });
    expect(await messageOf(world.delete(eksTypes.cluster, "lab"))).toBe(
      "InvalidRequestException: Cluster cannot be deleted while deletion protection is enabled",
    );
    await world.update(eksTypes.cluster, "lab", { ...clusterInputs, deletionProtection: false });
    expect(await messageOf(world.delete(eksTypes.cluster, "lab"))).toBe("no error");
  });

  test.for([
    [
      "its subnets",
      types.subnet,
      "subnet-a",
      "DependencyViolation: The subnet 'subnet-a' has dependencies and cannot be deleted.",
    ],
    [
      "its additional security groups",
      types.securityGroup,
      "sg-nodes",
      "DependencyViolation: resource sg-nodes has a dependent object",
    ],
  ] as const)("keeps %s until then", async ([, type, id, message]) => {
    const world = foundation();
    await makeCluster(world, { vpcConfig: { ...vpcConfig, securityGroupIds: ["sg-nodes"] } });
    expect(await messageOf(world.delete(type, id))).toBe(message);
    await world.delete(eksTypes.cluster, "lab");
    expect(await messageOf(world.delete(type, id))).toBe("no error");
  });

  test("a create that times out leaves the cluster there", async () => {
    const world = foundation();
    world.faults.add({ operation: "create", type: eksTypes.cluster, effect: "time-out" });
    await expect(makeCluster(world)).rejects.toBeInstanceOf(IncompleteError);
    expect(world.find(eksTypes.cluster)).toHaveLength(1);
  });
});
