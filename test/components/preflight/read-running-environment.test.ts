import { expect, test } from "vitest";
import type { Properties } from "../../../components/core/wire";
import { environmentSettings } from "../../../components/environment/gpu-environment-plan";
import type { GpuEnvironmentArgs } from "../../../components/environment/gpu-environment-schema";
import { readRunningEnvironment } from "../../../components/preflight/read-running-environment";
import type { ChangeOptions, RunningEnvironment } from "../../../components/preflight/running-environment";
import type { Cloud } from "../../../planner/record/record";
import { createCloud } from "../../../simulation/create-cloud";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { put } from "../../simulation/aws/support";
import { plan } from "../../support/plan";

const zones = ["ap-northeast-2a", "ap-northeast-2b", "ap-northeast-2c"];
const keyArn = "arn:aws:kms:ap-northeast-2:123456789012:key/1";
const group = "myeks-gpu-20260101000000000000000002";

interface Environment {
  readonly name?: string;
  readonly desiredSize?: number;
  readonly status?: string;
  readonly keyDescription?: string;
  readonly template?: Properties;
}

/** A simulated account with an environment. */
function account(environment: Environment = {}): SimulatedCloud {
  const { name = "myeks", desiredSize = 0, status = "ACTIVE", template = {} } = environment;
  const { keyDescription = `Kubernetes Secrets of the EKS cluster ${name}` } = environment;
  const cloud = createCloud();
  put(cloud, types.vpc, "vpc-1", { cidrBlock: "192.168.0.0/16", tags: { Name: `${name}-VPC` } });
  put(cloud, types.vpc, "vpc-2", { cidrBlock: "10.0.0.0/16", tags: { Name: "other" } });
  const subnet = (id: string, index: number, tags: Properties) =>
    put(cloud, types.subnet, id, {
      vpcId: "vpc-1",
      cidrBlock: `192.168.${4 * index}.0/22`,
      availabilityZone: zones[index % 3],
      tags,
    });
  zones.forEach((_, index) => subnet(`subnet-public-${index}`, index, { "kubernetes.io/role/elb": "1" }));
  zones.forEach((_, index) => subnet(`subnet-private-${index}`, 3 + index, { "kubernetes.io/role/internal-elb": "1" }));
  put(cloud, types.key, "1", { description: keyDescription }, { arn: keyArn });
  const subnetIds = zones.map((_, index) => `subnet-private-${index}`);
  const vpcConfig = { vpcId: "vpc-1", subnetIds };
  const cluster = { name, vpcConfig: { subnetIds }, encryptionConfig: { provider: { keyArn } } };
  const computed = { vpcConfig, status, endpoint: "http://127.0.0.1:1", certificateAuthority: { data: "" } };
  put(cloud, types.cluster, name, cluster, computed);
  put(cloud, types.launchTemplate, "lt-1", template, { latestVersion: 1 });
  for (const nodeGroupName of [group, "myeks-gpu-20260101000000000000000001", "myeks-system-1"]) {
    const scalingConfig = { desiredSize, minSize: 0, maxSize: 2 };
    const inputs = {
      clusterName: name,
      scalingConfig,
      subnetIds: ["subnet-private-0"],
      launchTemplate: { id: "lt-1" },
    };
    const made = { nodeGroupName, status: "ACTIVE", instanceTypes: ["g5.xlarge"], capacityType: "ON_DEMAND" };
    put(cloud, types.nodeGroup, `${name}:${nodeGroupName}`, inputs, { ...made, amiType: "x", version: "1.35" });
  }
  const tags = { "eks:nodegroup-name": group };
  for (let index = 0; index < desiredSize; index++) put(cloud, types.instance, `i-${index}`, { tags });
  return cloud;
}

interface Reading {
  readonly running: RunningEnvironment | undefined;
  readonly warnings: readonly string[];
  readonly called: readonly string[];
}

async function read(
  cloud: SimulatedCloud,
  args: Partial<GpuEnvironmentArgs> = {},
  options: ChangeOptions & { readonly denied?: RegExp } = {},
): Promise<Reading> {
  const { denied = /^$/, ...known } = options;
  const called: string[] = [];
  const answers: Cloud = {
    outputsOf: () => ({}),
    call(token, inputs) {
      called.push(token.split(":").at(-1) ?? "");
      if (denied.test(token)) throw new Error("AccessDenied: no");
      return cloud.call(token, inputs);
    },
  };
  const names = cloud.find(types.cluster).map(({ id }) => id);
  const settings = environmentSettings({ publicAccessCidrs: ["198.51.100.7/32"], ...args });
  let running: RunningEnvironment | undefined;
  const program = async () => void (running = await readRunningEnvironment({ settings, ...known }, names, zones));
  const { diagnostics } = await plan(program, { cloud: answers });
  return { running, warnings: diagnostics.map(({ message }) => message), called };
}

test("the network, the key and the newest GPU node group", async () => {
  const template = {
    instanceType: "g5.xlarge",
    userData: "eA==",
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100 } }],
    placement: { groupName: "close" },
    capacityReservationSpecification: { capacityReservationTarget: { capacityReservationId: "cr-1" } },
    tagSpecifications: [
      { resourceType: "volume", tags: { Name: "volume" } },
      { resourceType: "instance", tags: { Name: "node" } },
    ],
  };
  const { running, warnings } = await read(account({ template }));
  expect(warnings).toEqual([]);
  expect(running).toMatchObject({
    clusterName: "myeks",
    network: { vpcId: "vpc-1", cidr: "192.168.0.0/16", name: "myeks-VPC", twins: [] },
    secretsKey: { arn: keyArn, isOwn: true },
    gpuNodes: {
      group,
      desiredSize: 0,
      instanceType: "g5.xlarge",
      capacityType: "ON_DEMAND",
      subnetId: "subnet-private-0",
      template: {
        diskSizeGiB: 100,
        userData: "eA==",
        efa: false,
        placementGroup: "close",
        capacityReservation: "cr-1",
        tags: { Name: "node" },
      },
    },
  });
  const subnets = running?.network?.subnets.map(({ kind, zone, cidr }) => `${kind} ${cidr} ${zone.slice(-1)}`).sort();
  expect(subnets).toEqual([
    "private 192.168.12.0/22 a",
    "private 192.168.16.0/22 b",
    "private 192.168.20.0/22 c",
    "public 192.168.0.0/22 a",
    "public 192.168.4.0/22 b",
    "public 192.168.8.0/22 c",
  ]);
});

test("a first deployment reads nothing", async () => {
  expect(await read(createCloud())).toEqual({ running: undefined, warnings: [], called: [] });
});

test("a cluster that is being deleted does not change", async () => {
  const { running, called } = await read(account({ status: "DELETING" }));
  expect(running).toBeUndefined();
  expect(called).toEqual(["getCluster"]);
});

test("the cluster of the last update, although its name has changed", async () => {
  const cloud = account();
  expect((await read(cloud, { clusterName: "lab2" })).running).toBeUndefined();
  const { running } = await read(cloud, { clusterName: "lab2" }, { formerClusterName: "myeks" });
  expect(running?.clusterName).toBe("myeks");
  const gone = await read(account({ name: "lab2" }), { clusterName: "lab2" }, { formerClusterName: "myeks" });
  expect(gone.running?.clusterName).toBe("lab2");
});

test("a key that the environment did not create, and none", async () => {
  const { running } = await read(account({ keyDescription: "of the company" }));
  expect(running?.secretsKey).toEqual({ arn: keyArn, isOwn: false });
  const cloud = account();
  put(
    cloud,
    types.cluster,
    "myeks",
    { name: "myeks", vpcConfig: { subnetIds: [] } },
    { vpcConfig: { vpcId: "vpc-1", subnetIds: [] } },
  );
  expect((await read(cloud)).running?.secretsKey).toEqual({ isOwn: false });
});

test("another VPC of the same name", async () => {
  const cloud = account();
  put(cloud, types.vpc, "vpc-3", { cidrBlock: "10.0.0.0/16", tags: { Name: "myeks-VPC" } });
  expect((await read(cloud)).running?.network?.twins).toEqual(["vpc-3"]);
});

test.for([
  ["getVpc:", "network", [/the network of the cluster/]],
  ["cloudcontrol", "secretsKey", [/the key of the cluster's Secrets/]],
  ["getLaunchTemplate", "gpuNodes", [/the GPU node group/, /the launch template of the system nodes/]],
] as const)("without permission for %s, %s is missing, with a warning", async ([token, part, expected]) => {
  const { running, warnings } = await read(account(), {}, { denied: new RegExp(token) });
  expect(running).not.toHaveProperty(part);
  expect(Object.keys(running ?? {})).toHaveLength(4);
  expect([...warnings].sort()).toEqual(expected.map((warning) => expect.stringMatching(warning) as string));
  for (const warning of warnings) expect(warning).toContain("skips its checks");
});

test("without permission to read the cluster, only its name is known", async () => {
  const { running, warnings } = await read(account(), {}, { denied: /getCluster:/ });
  expect(running).toEqual({ clusterName: "myeks" });
  expect(warnings).toHaveLength(1);
});

const change = { gpuNodes: { instanceType: "g6.xlarge" } };

test("the session is read only where nodes run and would end", async () => {
  const asked = async (desiredSize: number, args: Partial<GpuEnvironmentArgs>) => {
    const { called } = await read(account({ desiredSize }), args);
    return called.filter((name) => name === "getInstances" || name === "getClusterAuth");
  };
  // The system nodes of this account differ as well.
  const system = "getInstances";
  expect(await asked(0, change)).toEqual([system]);
  expect(await asked(1, { network: { cidr: "10.0.0.0/16" } })).toEqual([system, "getInstances", "getClusterAuth"]);
  expect(await asked(1, change)).toEqual([system, "getInstances", "getClusterAuth"]);
});

test("a cluster that cannot be reached leaves the ids of the instances", async () => {
  const { running } = await read(account({ desiredSize: 2 }), change);
  expect(running?.gpuNodes?.session).toEqual({
    nodes: ["i-0", "i-1"],
    unreadable: expect.stringContaining("cannot be reached") as string,
  });
  const blind = await read(account({ desiredSize: 2 }), change, { denied: /getInstances/ });
  expect(blind.running?.gpuNodes?.session?.nodes).toEqual([]);
});

test("a removed VPC: the warning contains the reason of the provider", async () => {
  const cloud = account();
  cloud.remove(types.vpc, "vpc-1");
  const { warnings } = await read(cloud);
  expect(warnings).toEqual([
    expect.stringMatching(/^Preflight cannot read the network .*: .*no matching EC2 VPC found$/),
  ]);
});

test.for([
  [{ computeConfig: { enabled: true, nodePools: [] } }, true],
  [{ computeConfig: { enabled: false } }, undefined],
  [{}, undefined],
] as const)("EKS Auto Mode of a cluster with %j", async ([inputs, expected]) => {
  const cloud = account();
  const [cluster] = cloud.find(types.cluster);
  if (cluster) cloud.put({ ...cluster, inputs: { ...cluster.inputs, ...inputs } });
  expect((await read(cloud)).running?.autoMode).toBe(expected);
});
