import { describe, expect, test } from "vitest";
import { kubernetesVersion } from "../../../../components/core/versions";
import { type Properties, unknownSentinel } from "../../../../components/core/wire";
import { kubernetesVersions } from "../../../../simulation/aws/eks/cluster-rules";
import { types } from "../../../../simulation/aws/types";
import { changesOf } from "../../../../simulation/cloud/changes";
import { IncompleteError } from "../../../../simulation/cloud/errors";
import { clusterInputs, contents, foundation, keyArn, makeCluster, messageOf, minorVersion, put } from "./foundation";

const [oldest, older, newest] = kubernetesVersions.slice(-3) as [string, string, string];
const vpcConfig = clusterInputs["vpcConfig"] as Properties;

describe("a new cluster", () => {
  test("has the outputs of EKS", async () => {
    const cloud = foundation();
    const { computed } = await makeCluster(cloud);
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
    expect(cloud.history.at(-1)).toMatchObject({ operation: "create", from: 0, to: 600 });
  });

  test("has a security group in the VPC, and its creator as an admin", async () => {
    const cloud = foundation();
    const { computed } = await makeCluster(cloud);
    const { clusterSecurityGroupId } = computed["vpcConfig"] as { clusterSecurityGroupId: string };
    expect(cloud.get(types.securityGroup, clusterSecurityGroupId)?.inputs).toMatchObject({
      vpcId: "vpc-1",
      tags: { "kubernetes.io/cluster/lab": "owned" },
    });
    expect(cloud.find(types.accessEntry).map(({ id }) => id)).toEqual([`lab:${cloud.account.caller}`]);
    expect(cloud.find(types.accessPolicyAssociation)[0]?.inputs["policyArn"]).toBe(
      "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    );
  });

  test.for([
    [
      "when bootstrapClusterCreatorAdminPermissions is false",
      { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false },
    ],
    ["where the aws-auth ConfigMap decides", { authenticationMode: "CONFIG_MAP" }],
  ] as const)("has no access entry of its creator %s", async ([, accessConfig]) => {
    const cloud = foundation();
    await makeCluster(cloud, { accessConfig });
    expect(cloud.find(types.accessEntry)).toEqual([]);
  });

  test("has another endpoint when it is recreated", async () => {
    const cloud = foundation();
    const { computed: first } = await makeCluster(cloud);
    await cloud.delete(types.cluster, "lab");
    const { computed: second } = await makeCluster(cloud);
    expect(second["endpoint"]).not.toBe(first["endpoint"]);
  });

  test("has the newest Kubernetes version by default", async () => {
    const { version: _, ...inputs } = clusterInputs;
    const { computed } = await foundation().create(types.cluster, inputs);
    expect(computed["version"]).toBe(kubernetesVersions.at(-1));
  });

  test("has another service range if the VPC is in 10.0.0.0/8", async () => {
    const cloud = foundation();
    cloud.drift(types.vpc, "vpc-1", { cidrBlock: "10.1.0.0/16" });
    const { computed } = await makeCluster(cloud);
    expect(computed["kubernetesNetworkConfig"]).toMatchObject({ serviceIpv4Cidr: "172.20.0.0/16" });
  });
});

describe("a log group", () => {
  const name = "/aws/eks/lab/cluster";
  const logs = { enabledClusterLogTypes: ["api", "audit"] };

  test("that is created after the cluster already exists", async () => {
    const cloud = foundation();
    await makeCluster(cloud, logs);
    expect(await messageOf(cloud.create(types.logGroup, { name }))).toBe(
      "ResourceAlreadyExistsException: The specified log group already exists",
    );
  });

  test("that is created before the cluster stays as it is", async () => {
    const cloud = foundation();
    await cloud.create(types.logGroup, { name, retentionInDays: 7 });
    await makeCluster(cloud, logs);
    expect(cloud.find(types.logGroup).map(({ inputs }) => inputs)).toEqual([{ name, retentionInDays: 7 }]);
  });

  test("that is deleted before the cluster is recreated", async () => {
    const cloud = foundation();
    await cloud.create(types.logGroup, { name, retentionInDays: 7 });
    await makeCluster(cloud, logs);
    await cloud.delete(types.logGroup, name);
    await cloud.delete(types.cluster, "lab");
    expect(cloud.get(types.logGroup, name)?.inputs).toEqual({ name, retentionInDays: 0 });
  });

  test("is not created for a cluster without log types", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    expect(cloud.find(types.logGroup)).toEqual([]);
  });
});

describe("EKS rejects a cluster", () => {
  test.for([
    ["of a missing role", { roleArn: "arn:aws:iam::1:role/x" }, "roleArn, arn:aws:iam::1:role/x, does not exist"],
    ["in a missing subnet", { vpcConfig: { subnetIds: ["subnet-x"] } }, "The subnet ID 'subnet-x' does not exist"],
    [
      "in one zone",
      { vpcConfig: { ...vpcConfig, subnetIds: ["subnet-a"] } },
      "Subnets specified must be in at least two different AZs",
    ],
    ["of an old version", { version: "1.29" }, "unsupported Kubernetes version 1.29"],
    ["of a patch", { version: `${kubernetesVersion}.2` }, `unsupported Kubernetes version ${kubernetesVersion}.2`],
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
    const cloud = foundation();
    const before = contents(cloud);
    expect(await messageOf(makeCluster(cloud, over))).toBe(`InvalidParameterException: ${words}`);
    expect(contents(cloud)).toEqual(before);
  });

  test("whose role does not have its policy yet", async () => {
    const cloud = foundation();
    cloud.remove(types.rolePolicyAttachment, "cluster/arn:aws:iam::aws:policy/AmazonEKSClusterPolicy");
    expect(await messageOf(makeCluster(cloud))).toContain(
      "The provided role doesn't have the Amazon EKS Managed Policies",
    );
    put(cloud, types.rolePolicy, "cluster:own", { role: "cluster", name: "own" });
    expect(await messageOf(makeCluster(cloud))).toBe("no error");
  });

  test("whose name exists", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    expect(await messageOf(makeCluster(cloud))).toBe("ResourceInUseException: Cluster already exists with name: lab");
  });

  test("but accepts 0.0.0.0/0", async () => {
    const open = { vpcConfig: { ...vpcConfig, publicAccessCidrs: ["0.0.0.0/0"] } };
    expect(await messageOf(makeCluster(foundation(), open))).toBe("no error");
  });
});

test("the provider fills in defaults inside of known inputs", () => {
  const { normalize: refine } = foundation().modelOf(types.cluster);
  expect(refine?.({ name: "a", vpcConfig: { subnetIds: [], endpointPrivateAccess: true } })).toEqual({
    name: "a",
    kubernetesNetworkConfig: { ipFamily: "ipv4" },
    vpcConfig: { subnetIds: [], endpointPrivateAccess: true, endpointPublicAccess: true },
  });
  const unknown = {
    accessConfig: unknownSentinel,
    kubernetesNetworkConfig: unknownSentinel,
    vpcConfig: unknownSentinel,
  };
  expect(refine?.(unknown)).toEqual(unknown);
});

describe("an update of a cluster", () => {
  test.for([
    ["to the next minor version", newest, "no error"],
    ["to the same version", older, "no error"],
    ["to an unsupported version", "1.99", "InvalidParameterException: unsupported Kubernetes version 1.99"],
    [
      "to an older version",
      oldest,
      `InvalidParameterException: Unsupported Kubernetes minor version update from ${older} to ${oldest}`,
    ],
  ] as const)("%s", async ([, version, message]) => {
    const cloud = foundation();
    await makeCluster(cloud, { version: older });
    const update = cloud.update(types.cluster, "lab", { ...clusterInputs, version });
    expect(await messageOf(update)).toBe(message);
  });

  test("that skips a minor version", async () => {
    const cloud = foundation();
    await makeCluster(cloud, { version: oldest });
    const update = cloud.update(types.cluster, "lab", { ...clusterInputs, version: newest });
    expect(await messageOf(update)).toBe(
      `InvalidParameterException: Unsupported Kubernetes minor version update from ${oldest} to ${newest}`,
    );
  });

  test("keeps endpoint, certificate and issuer", async () => {
    const cloud = foundation();
    const { computed } = await makeCluster(cloud);
    const updated = await cloud.update(types.cluster, "lab", { ...clusterInputs, version: minorVersion(1) });
    const { arn, endpoint, identities, certificateAuthority, createdAt, vpcConfig } = computed;
    expect(updated.computed).toMatchObject({ arn, endpoint, identities, certificateAuthority, createdAt, vpcConfig });
    expect(cloud.find(types.securityGroup)).toHaveLength(2);
  });

  test("does not recreate the creator's access entry", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    await cloud.delete(types.accessEntry, `lab:${cloud.account.caller}`);
    await cloud.update(types.cluster, "lab", { ...clusterInputs, enabledClusterLogTypes: ["api"] });
    expect(cloud.find(types.accessEntry)).toEqual([]);
  });

  test("is rejected where a create would be", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    const update = (config: Properties) =>
      messageOf(cloud.update(types.cluster, "lab", { ...clusterInputs, vpcConfig: { ...vpcConfig, ...config } }));
    expect(await update({ subnetIds: ["subnet-a"] })).toContain("at least two different AZs");
    expect(await update({ publicAccessCidrs: ["192.0.2.1/32"] })).toContain("not allowed in publicAccessCidrs");
    put(cloud, types.subnet, "subnet-c", { vpcId: "vpc-1", availabilityZone: "ap-northeast-2c" });
    const inEach = await update({ subnetIds: ["subnet-a", "subnet-b", "subnet-c"] });
    expect(inEach).toContain(
      "got ap-northeast-2a, ap-northeast-2b, ap-northeast-2c, expected ap-northeast-2a, ap-northeast-2b",
    );
    put(cloud, types.subnet, "subnet-d", { vpcId: "vpc-1", availabilityZone: "ap-northeast-2b" });
    expect(await update({ subnetIds: ["subnet-a", "subnet-d"] })).toBe("no error");
  });

  test("cannot return from access entries to the aws-auth ConfigMap", async () => {
    const cloud = foundation();
    await makeCluster(cloud);
    const accessConfig = { authenticationMode: "CONFIG_MAP" };
    expect(await messageOf(cloud.update(types.cluster, "lab", { ...clusterInputs, accessConfig }))).toBe(
      "InvalidParameterException: Unsupported authentication mode update from API to CONFIG_MAP",
    );
  });

  test.for([
    ["the name", { name: "other" }, ["name"]],
    ["the role", { roleArn: "arn:x" }, ["roleArn"]],
    ["bootstrapSelfManagedAddons", { bootstrapSelfManagedAddons: true }, ["bootstrapSelfManagedAddons"]],
    [
      "who is an admin at first",
      { accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false } },
      ["accessConfig.bootstrapClusterCreatorAdminPermissions"],
    ],
    ["the way to come in", { accessConfig: { authenticationMode: "API_AND_CONFIG_MAP" } }, []],
    [
      "addresses",
      { kubernetesNetworkConfig: { serviceIpv4Cidr: "10.96.0.0/16" } },
      ["kubernetesNetworkConfig.serviceIpv4Cidr"],
    ],
    ["the addresses' family", { kubernetesNetworkConfig: { ipFamily: "ipv6" } }, ["kubernetesNetworkConfig.ipFamily"]],
    ["the place", { outpostConfig: { outpostArns: [] } }, ["outpostConfig"]],
    ["the version", { version: minorVersion(1) }, []],
    ["a subnet", { vpcConfig: { ...vpcConfig, subnetIds: ["subnet-a", "subnet-c"] } }, []],
    ["the log types", { enabledClusterLogTypes: ["api"] }, []],
    ["a key that is added", { encryptionConfig: { provider: { keyArn }, resources: ["secrets"] } }, []],
  ] as const)("of %s: replacement or not", ([, over, replacing]) => {
    const kind = foundation().modelOf(types.cluster);
    const news = kind.normalize?.({ ...clusterInputs, ...over }) ?? {};
    const changes = changesOf(kind, kind.normalize?.(clusterInputs) ?? {}, news);
    expect(changes.filter(({ replaces }) => replaces).map(({ path }) => path)).toEqual(replacing);
    expect(changes).not.toEqual([]);
  });

  test("that removes the encryption key replaces the cluster", () => {
    const olds = { ...clusterInputs, encryptionConfig: { provider: { keyArn }, resources: ["secrets"] } };
    const changes = changesOf(foundation().modelOf(types.cluster), olds, clusterInputs);
    expect(changes).toEqual([{ path: "encryptionConfig", kind: "delete", replaces: true }]);
  });
});

describe("the deletion of a cluster", () => {
  test("removes its security group and its access entries", async () => {
    const cloud = foundation();
    const before = contents(cloud);
    await makeCluster(cloud, { encryptionConfig: { provider: { keyArn }, resources: ["secrets"] } });
    await cloud.delete(types.cluster, "lab");
    expect(contents(cloud)).toEqual(before);
  });

  test("is rejected with deletion protection", async () => {
    const cloud = foundation();
    await makeCluster(cloud, { deletionProtection: true });
    expect(await messageOf(cloud.delete(types.cluster, "lab"))).toBe(
      "InvalidRequestException: Cluster cannot be deleted while deletion protection is enabled",
    );
    await cloud.update(types.cluster, "lab", { ...clusterInputs, deletionProtection: false });
    expect(await messageOf(cloud.delete(types.cluster, "lab"))).toBe("no error");
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
  ] as const)("must precede the deletion of %s", async ([, type, id, message]) => {
    const cloud = foundation();
    await makeCluster(cloud, { vpcConfig: { ...vpcConfig, securityGroupIds: ["sg-nodes"] } });
    expect(await messageOf(cloud.delete(type, id))).toBe(message);
    await cloud.delete(types.cluster, "lab");
    expect(await messageOf(cloud.delete(type, id))).toBe("no error");
  });

  test("a create that times out leaves the cluster", async () => {
    const cloud = foundation();
    cloud.faults.add({ operation: "create", type: types.cluster, effect: "time-out" });
    await expect(makeCluster(cloud)).rejects.toBeInstanceOf(IncompleteError);
    expect(cloud.find(types.cluster)).toHaveLength(1);
  });
});

describe("EKS Auto Mode", () => {
  const parts = {
    computeConfig: { enabled: true, nodePools: [] },
    kubernetesNetworkConfig: { ipFamily: "ipv4", elasticLoadBalancing: { enabled: true } },
    storageConfig: { blockStorage: { enabled: true } },
  };
  const together = "are all either fully enabled or fully disabled";
  const [pools, nodeRoleArn] = [["system"], "arn:aws:iam::123456789012:role/nodes"];

  test.for([
    ["all parts", parts, "no error"],
    ["no compute", { ...parts, computeConfig: {} }, together],
    ["no load balancing", { ...parts, kubernetesNetworkConfig: {} }, together],
    ["no storage", { ...parts, storageConfig: { blockStorage: { enabled: false } } }, together],
    [
      "built-in pools with a role",
      { ...parts, computeConfig: { enabled: true, nodePools: pools, nodeRoleArn } },
      "no error",
    ],
    [
      "built-in pools without a role",
      { ...parts, computeConfig: { enabled: true, nodePools: pools } },
      "cannot be populated",
    ],
    ["a role alone", { ...parts, computeConfig: { enabled: true, nodeRoleArn } }, "must be provided"],
  ] as const)("%s, in a create and in an update", async ([, inputs, expected]) => {
    const created = await messageOf(makeCluster(foundation(), inputs));
    const cloud = foundation();
    await makeCluster(cloud);
    const updated = await messageOf(cloud.update(types.cluster, "lab", { ...clusterInputs, ...inputs }));
    for (const message of [created, updated]) {
      expect(message).toContain(expected);
    }
  });
});
