import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  resourceReference,
  secretValue,
  unknownSentinel as unknown,
  unwrap,
  type Properties,
} from "../../../components/core/wire";
import { fromStruct, toStruct } from "../../../simulation/provider/rpc/messages";
import { startProviders, type ProviderServers } from "../../../simulation/provider/serve";
import { ProviderClient } from "./provider-client";
import { MonitorServer, urnOf, type Outputs } from "./monitor-server";
import { smallCloud } from "./small-cloud";

const signature = "4dabf18193072939515e22adb298388d";
const output = (rest: object) => ({ [signature]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", ...rest });

const role = urnOf("aws:iam/role:Role", "role");
const key = urnOf("aws:kms/key:Key", "key");
const subnets = [urnOf("aws:ec2/subnet:Subnet", "a"), urnOf("aws:ec2/subnet:Subnet", "b")];
const component = urnOf("eks:index:Cluster", "lab");
const cluster = urnOf("aws:eks/cluster:Cluster", "lab-eksCluster");
const provider = urnOf("pulumi:providers:kubernetes", "lab-eks-k8s");
const oidc = urnOf("aws:iam/openIdConnectProvider:OpenIdConnectProvider", "lab-oidcProvider");

/** The arguments that `EksCluster` of this library sets. */
const given: Properties = {
  name: "myeks",
  version: "1.35",
  vpcId: output({ value: "vpc-1", dependencies: [urnOf("aws:ec2/vpc:Vpc", "vpc")] }),
  privateSubnetIds: [
    output({ value: "subnet-a", dependencies: [subnets[0]] }),
    output({ value: "subnet-b", dependencies: [subnets[1]] }),
  ],
  endpointPrivateAccess: true,
  endpointPublicAccess: true,
  publicAccessCidrs: ["203.0.113.7/32"],
  authenticationMode: "API",
  serviceRole: resourceReference(role, "7.48.0", "role-1"),
  encryptionConfigKeyArn: output({ value: "arn:aws:kms:key", dependencies: [key] }),
  enabledClusterLogTypes: ["api", "audit"],
  upgradePolicy: { supportType: "STANDARD" },
  deletionProtection: false,
  createOidcProvider: true,
  skipDefaultNodeGroup: true,
  skipDefaultSecurityGroups: true,
  createInstanceRole: false,
  bootstrapSelfManagedAddons: false,
  useDefaultVpcCni: true,
  corednsAddonOptions: { enabled: false, resolveConflictsOnCreate: "OVERWRITE" },
  kubeProxyAddonOptions: { enabled: false },
  tags: { Name: "myeks" },
};

const issuer = "https://oidc.eks.ap-northeast-2.amazonaws.com/id/0123";
const made: Outputs = (type) => {
  if (type === "pulumi:providers:kubernetes") return { id: "provider-id", outputs: {} };
  if (type !== "aws:eks/cluster:Cluster") return { id: "arn:oidc", outputs: { arn: "arn:oidc" } };
  return {
    id: "myeks",
    outputs: {
      arn: "arn:aws:eks:ap-northeast-2:123456789012:cluster/myeks",
      endpoint: "https://0123.eks.amazonaws.com",
      certificateAuthority: { data: "Q0E=" },
      identities: [{ oidcs: [{ issuer }] }],
      vpcConfig: { clusterSecurityGroupId: "sg-1" },
    },
  };
};

let served: ProviderServers;
let engine: ProviderClient;
let monitor: MonitorServer;

beforeEach(async () => {
  served = await startProviders(smallCloud());
  engine = new ProviderClient(served, "eks:index:Cluster", "lab");
});

afterEach(async () => {
  monitor.close();
  engine.close();
  await served.close();
});

interface Options {
  readonly outputs?: Outputs;
  readonly dryRun?: boolean;
  readonly config?: Readonly<Record<string, string>>;
  readonly type?: string;
}

async function construct(inputs: Properties, { outputs = made, dryRun = false, config = {}, type }: Options = {}) {
  monitor = await new MonitorServer(outputs, {
    [role]: { id: "role-1", state: dryRun ? {} : { arn: "arn:role" } },
  }).listen();
  const request = new proto.ConstructRequest()
    .setType(type ?? "eks:index:Cluster")
    .setName("lab")
    .setParent(urnOf("lab:index:Parent", "parent"))
    .setMonitorendpoint(monitor.endpoint)
    .setDryrun(dryRun)
    .setInputs(toStruct(inputs))
    .setDependenciesList([urnOf("aws:cloudwatch/logGroup:LogGroup", "logs")])
    .setProtect(true);
  request.getProvidersMap().set("aws", "urn:aws::1");
  const fromVersion = new proto.ConstructRequest.PropertyDependencies().setUrnsList(["urn:version"]);
  request.getInputdependenciesMap().set("version", fromVersion);
  for (const [name, value] of Object.entries(config)) request.getConfigMap().set(name, value);
  const response = await engine.construct(request);
  const dependencies = [...response.getStatedependenciesMap().entries()].map(
    ([name, urns]) => [name, urns.getUrnsList()] as const,
  );
  return {
    urn: response.getUrn(),
    state: fromStruct(response.getState()),
    dependencies: Object.fromEntries(dependencies),
  };
}

const registered = (name: string) => monitor.registrations.find((registration) => registration.name === name);

const kubeconfig = (...more: string[]) => ({
  apiVersion: "v1",
  clusters: [
    { cluster: { server: "https://0123.eks.amazonaws.com", "certificate-authority-data": "Q0E=" }, name: "kubernetes" },
  ],
  contexts: [{ context: { cluster: "kubernetes", user: "aws" }, name: "aws" }],
  "current-context": "aws",
  kind: "Config",
  users: [
    {
      name: "aws",
      user: {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1beta1",
          command: "aws",
          args: [
            "--region",
            "ap-northeast-2",
            "eks",
            "get-token",
            "--cluster-name",
            "myeks",
            "--output",
            "json",
            ...more,
          ],
          env: [{ name: "KUBERNETES_EXEC_INFO", value: '{"apiVersion": "client.authentication.k8s.io/v1beta1"}' }],
        },
      },
    },
  ],
});

test("registers the component and its three children with the parents, versions and dependencies of the real ones", async () => {
  await construct(given);
  const [self, first, ...others] = monitor.registrations;
  expect(self).toMatchObject({
    type: "eks:index:Cluster",
    name: "lab",
    custom: false,
    parent: urnOf("lab:index:Parent", "parent"),
    inputs: {},
    dependencies: [urnOf("aws:cloudwatch/logGroup:LogGroup", "logs")],
    protect: true,
    providers: { aws: "urn:aws::1" },
  });
  expect(first).toEqual({
    type: "aws:eks/cluster:Cluster",
    name: "lab-eksCluster",
    custom: true,
    parent: component,
    provider: "urn:aws::1",
    version: "7.25.0",
    inputs: {
      name: "myeks",
      version: "1.35",
      roleArn: "arn:role",
      bootstrapSelfManagedAddons: false,
      vpcConfig: {
        subnetIds: ["subnet-a", "subnet-b"],
        endpointPrivateAccess: true,
        endpointPublicAccess: true,
        publicAccessCidrs: ["203.0.113.7/32"],
      },
      enabledClusterLogTypes: ["api", "audit"],
      tags: { Name: "myeks" },
      encryptionConfig: { provider: { keyArn: "arn:aws:kms:key" }, resources: ["secrets"] },
      accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: true },
      upgradePolicy: { supportType: "STANDARD" },
      deletionProtection: false,
    },
    dependencies: expect.arrayContaining(["urn:version", role, key, ...subnets]) as unknown,
    propertyDependencies: {
      name: [],
      version: ["urn:version"],
      roleArn: [role],
      bootstrapSelfManagedAddons: [],
      vpcConfig: subnets,
      enabledClusterLogTypes: [],
      tags: [],
      encryptionConfig: [key],
      accessConfig: [],
      upgradePolicy: [],
      deletionProtection: [],
    },
    ignoreChanges: ["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"],
    protect: true,
    providers: {},
  });
  expect(others.map(({ name }) => name).sort()).toEqual(["lab-eks-k8s", "lab-oidcProvider"]);
  expect(registered("lab-eks-k8s")).toMatchObject({
    type: "pulumi:providers:kubernetes",
    parent: component,
    provider: "",
    version: "4.19.0",
    inputs: { kubeconfig: JSON.stringify(kubeconfig()) },
    dependencies: [cluster],
  });
  expect(registered("lab-oidcProvider")).toMatchObject({
    type: "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
    parent: component,
    provider: "urn:aws::1",
    version: "7.25.0",
    inputs: {
      clientIdLists: ["sts.amazonaws.com"],
      url: issuer,
      thumbprintLists: [expect.stringMatching(/^[0-9a-f]{40}$/)],
    },
    propertyDependencies: { url: [cluster] },
  });
});

test("registers and returns its outputs", async () => {
  const { urn, state, dependencies } = await construct(given);
  expect(urn).toBe(component);
  expect(monitor.outputs).toEqual({ [component]: state });
  const { core, ...others } = state;
  expect(others).toEqual({
    kubeconfig: kubeconfig(),
    kubeconfigJson: JSON.stringify(kubeconfig()),
    instanceRoles: [],
    eksCluster: resourceReference(cluster, "7.25.0", "myeks"),
    clusterSecurityGroupId: "sg-1",
    nodeSecurityGroupId: "sg-1",
    clusterIngressRuleId: "",
    defaultNodeGroupAsgName: "",
    fargateProfileId: "",
    fargateProfileStatus: "",
    oidcProviderArn: "arn:oidc",
    oidcProviderUrl: issuer,
    oidcIssuer: "oidc.eks.ap-northeast-2.amazonaws.com/id/0123",
    autoModeNodeRoleName: "",
  });
  expect(core).toEqual({
    vpcId: "vpc-1",
    subnetIds: ["subnet-a", "subnet-b"],
    privateSubnetIds: ["subnet-a", "subnet-b"],
    cluster: resourceReference(cluster, "7.25.0", "myeks"),
    endpoint: "https://0123.eks.amazonaws.com",
    nodeGroupOptions: { version: "1.35" },
    kubeconfig: kubeconfig(),
    provider: resourceReference(provider, "4.19.0", "provider-id"),
    instanceRoles: [],
    tags: { Name: "myeks" },
    storageClasses: {},
    oidcProvider: resourceReference(oidc, "7.25.0", "arn:oidc"),
    encryptionConfig: { provider: { keyArn: "arn:aws:kms:key" }, resources: ["secrets"] },
    clusterIamRole: resourceReference(role, "7.25.0", "role-1"),
    accessEntries: [],
    autoModeNodeRoleName: "",
  });
  expect(dependencies["eksCluster"]).toEqual([cluster]);
  expect(dependencies["kubeconfig"]).toEqual([cluster]);
  expect(dependencies["clusterSecurityGroupId"]).toEqual([cluster, ...subnets]);
  expect(dependencies["oidcProviderArn"]).toEqual([oidc]);
});

test("in a first preview, outputs of the cluster are unknown and references to it are not", async () => {
  const later = {
    ...given,
    encryptionConfigKeyArn: output({ dependencies: [key] }),
    privateSubnetIds: [output({}), "subnet-b"],
  };
  const { state } = await construct(later, { dryRun: true, outputs: () => ({ id: "", outputs: {} }) });
  expect(registered("lab-eksCluster")?.inputs).toMatchObject({
    name: "myeks",
    roleArn: unknown,
    encryptionConfig: unknown,
    vpcConfig: { subnetIds: unknown, endpointPrivateAccess: true },
  });
  expect(registered("lab-eksCluster")?.propertyDependencies["encryptionConfig"]).toEqual([key]);
  expect(registered("lab-eks-k8s")?.inputs).toEqual({ kubeconfig: unknown });
  expect(registered("lab-oidcProvider")?.inputs["url"]).toBe(unknown);
  expect(state).toMatchObject({
    eksCluster: resourceReference(cluster, "7.25.0", ""),
    kubeconfig: unknown,
    kubeconfigJson: unknown,
    core: unknown,
    clusterSecurityGroupId: unknown,
    oidcIssuer: unknown,
    instanceRoles: [],
  });
});

test("every kubeconfig contains the role, only the provider's contains the profile, and secret credentials keep it secret", async () => {
  const credentials = secretValue({ profileName: "lab", roleArn: "arn:admin" });
  const { state } = await construct({ ...given, providerCredentialOpts: credentials });
  const inProvider = JSON.stringify(kubeconfig("--role", "arn:admin", "--profile", "lab"));
  expect(registered("lab-eks-k8s")?.inputs).toEqual({ kubeconfig: secretValue(inProvider) });
  expect(state["kubeconfig"]).toEqual(secretValue(kubeconfig("--role", "arn:admin")));
  expect(unwrap(state).secretPaths).toEqual(["core", "kubeconfig", "kubeconfigJson"]);
});

test("without credentials, the kubeconfig uses the profile of the stack", async () => {
  await construct(given, { config: { "aws:profile": "lab" } });
  expect(registered("lab-eks-k8s")?.inputs).toEqual({ kubeconfig: JSON.stringify(kubeconfig("--profile", "lab")) });
});

test("values derived from a secret are secret", async () => {
  const hidden: Outputs = (type, inputs) => {
    const { id = "", outputs = {} } = made(type, inputs) ?? {};
    return { id, outputs: { ...outputs, ...(outputs["endpoint"] ? { endpoint: secretValue("https://e") } : {}) } };
  };
  const { state } = await construct(given, { outputs: hidden });
  expect(unwrap(state).secretPaths).toEqual(["core", "kubeconfig", "kubeconfigJson"]);
});

test("optional arguments can be missing, and subnets can be one list", async () => {
  const { encryptionConfigKeyArn, createOidcProvider, tags, privateSubnetIds, ...few } = given;
  expect([encryptionConfigKeyArn, createOidcProvider, tags, privateSubnetIds]).not.toContain(undefined);
  const { state } = await construct({ ...few, subnetIds: ["subnet-z"], bootstrapSelfManagedAddons: undefined });
  expect(monitor.registrations.map(({ name }) => name)).toEqual(["lab", "lab-eksCluster", "lab-eks-k8s"]);
  expect(registered("lab-eksCluster")?.inputs).toMatchObject({
    tags: { Name: "lab-eksCluster" },
    vpcConfig: { subnetIds: ["subnet-z"] },
    bootstrapSelfManagedAddons: true,
  });
  expect(registered("lab-eksCluster")?.inputs).not.toHaveProperty("encryptionConfig");
  expect(state["oidcProviderArn"]).toBe("");
});

test("tags override clusterTags", async () => {
  await construct({ ...given, clusterTags: { Name: "other", owner: "me" } });
  expect(registered("lab-eksCluster")?.inputs["tags"]).toEqual({ Name: "myeks", owner: "me" });
});

test.for([
  ["another argument", { nodeGroupOptions: {} }, "nodeGroupOptions is set"],
  ["a node group", { skipDefaultNodeGroup: false }, "skipDefaultNodeGroup is not true"],
  ["an add-on", { corednsAddonOptions: undefined }, "corednsAddonOptions.enabled is not false"],
  ["aws-auth", { authenticationMode: "API_AND_CONFIG_MAP" }, "authenticationMode is not API"],
  ["a role of its own", { serviceRole: undefined }, "serviceRole is not set"],
] as const)("rejects arguments whose children are not simulated: %s", async ([, change, problem]) => {
  const details = `The simulation does not support these arguments of eks.Cluster "lab": ${problem}`;
  await expect(construct({ ...given, ...change })).rejects.toMatchObject({ details });
  expect(monitor.registrations).toEqual([]);
});

test("rejects public CIDRs for a private endpoint", async () => {
  const details = "`publicAccessCidrs` can only be set when `endpointPublicAccess` is true";
  await expect(construct({ ...given, endpointPublicAccess: false })).rejects.toMatchObject({ details });
});

test("rejects other components", async () => {
  await expect(construct(given, { type: "eks:index:NodeGroupV2" })).rejects.toMatchObject({
    details: "The component eks:index:NodeGroupV2 is not simulated",
  });
});

test("fails when a child cannot be registered", async () => {
  await expect(construct(given, { outputs: () => undefined })).rejects.toMatchObject({
    details: "resource monitor shut down",
  });
});
