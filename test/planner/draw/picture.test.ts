import { beforeAll, describe, expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { boxesOf } from "../../../planner/draw/boxes";
import { pictureOf, type Picture } from "../../../planner/draw/picture";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { recordingOf, type ResourceSpec } from "../recordings";
import { bucketOnly, existingVpc, twoZones, unknownSubnets } from "./programs";

const drawn = (specs: ResourceSpec[]): Picture => pictureOf(recordingOf(specs), "eu-west-1");

function places({ networks }: Picture) {
  return networks.flatMap((network) =>
    network.zones.map((zone) => [zone.name, ...zone.subnets.map(({ kind, cidr, name }) => `${kind} ${cidr ?? name}`)]),
  );
}

const last = (urn: string) => urn.split("::").at(-1);

describe("the lab", () => {
  let picture: Picture;
  beforeAll(async () => {
    picture = pictureOf(await plan(() => labProgram({ operator: true }), { stack: "gpu-lab" }), "ap-northeast-2");
  });

  test("has one VPC with a public and a private subnet in each zone", () => {
    expect(picture).toMatchObject({ title: "gpu-lab", region: "ap-northeast-2" });
    expect(picture.networks).toMatchObject([
      {
        name: "myeks-VPC",
        cidr: "192.168.0.0/16",
        existing: false,
        internetGateway: expect.stringContaining("InternetGateway") as string,
      },
    ]);
    expect(places(picture)).toEqual([
      ["ap-northeast-2a", "public 192.168.0.0/22", "private 192.168.12.0/22"],
      ["ap-northeast-2b", "public 192.168.4.0/22", "private 192.168.16.0/22"],
      ["ap-northeast-2c", "public 192.168.8.0/22", "private 192.168.20.0/22"],
    ]);
  });

  test("one NAT gateway in the first public subnet serves all private ones", () => {
    const subnets = picture.networks.flatMap(({ zones }) => zones.flatMap((zone) => zone.subnets));
    expect(
      subnets.map(({ name, natGateways, natRoutes }) => [name, natGateways.map(last), natRoutes.map(last)]),
    ).toEqual([
      ["lab-public-0", ["lab-nat"], []],
      ["lab-private-0", [], ["lab-nat"]],
      ["lab-public-1", [], []],
      ["lab-private-1", [], ["lab-nat"]],
      ["lab-public-2", [], []],
      ["lab-private-2", [], ["lab-nat"]],
    ]);
  });

  test("system nodes run in three subnets, GPU nodes in one", () => {
    expect(picture.nodeGroups.map(({ urn: _, ...group }) => ({ ...group, subnets: group.subnets.map(last) }))).toEqual([
      {
        name: "myeks-ng-1",
        instanceType: "t3.medium",
        size: { desired: 2, min: 1, max: 4 },
        subnets: ["lab-private-0", "lab-private-1", "lab-private-2"],
        picksSubnet: false,
      },
      {
        name: "myeks-ng-gpu",
        instanceType: "g5.xlarge",
        gpu: "1 x NVIDIA A10G",
        size: { desired: 0, min: 0, max: 2 },
        subnets: ["lab-private-0"],
        picksSubnet: false,
      },
    ]);
  });

  test("the cluster has its endpoint, add-ons and the GPU Operator", () => {
    expect(picture.clusters).toMatchObject([
      { name: "myeks", version: "1.35", endpoint: "private, public from 203.0.113.0/24" },
    ]);
    expect(picture.addons).toEqual([
      "coredns v1.13.1",
      "eks-node-monitoring-agent v1.5.1",
      "kube-proxy v1.35.0",
      "vpc-cni v1.22.4",
    ]);
    expect(picture.gpuOperator).toBe("v26.3.1");
    expect(picture.charts).toEqual([]);
  });

  test("security groups open three paths to both groups", () => {
    expect(picture.paths.map(({ nodeGroups, ...path }) => ({ ...path, nodeGroups: nodeGroups.map(last) }))).toEqual([
      {
        kind: "control-plane",
        state: "open",
        ports: "tcp 443, 4443, 6443, 8082, 8443, 9443, 10250, 10251",
        nodeGroups: ["lab-system", "lab-gpu"],
      },
      { kind: "node-to-node", state: "open", ports: "tcp 1025-65535", nodeGroups: ["lab-system", "lab-gpu"] },
      { kind: "vpc-wide", state: "open", ports: "all", nodeGroups: ["lab-system", "lab-gpu"], cidr: "192.168.0.0/16" },
    ]);
  });

  test("blocked NCCL leaves the control plane's path alone", async () => {
    const blocked = pictureOf(await plan(() => labProgram({ nccl: "blocked" })), "ap-northeast-2");
    expect(blocked.paths.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      "control-plane open",
      "node-to-node blocked",
    ]);
    expect(blocked).not.toHaveProperty("gpuOperator");
  });

  test("two recordings of one program give the same picture", async () => {
    const again = await plan(() => labProgram({ operator: true }), { stack: "gpu-lab" });
    expect(pictureOf(again, "ap-northeast-2")).toEqual(picture);
  });
});

test("existing subnets are in an existing VPC", () => {
  const picture = drawn(existingVpc);
  expect(picture.networks).toMatchObject([{ name: "existing VPC", existing: true }]);
  expect(places(picture)).toEqual([["existing subnets", "existing subnet-0aaa", "existing subnet-0bbb"]]);
  expect(picture.clusters).toMatchObject([{ name: "prod", version: "1.34", endpoint: "private" }]);
});

test("routes inside the tables, one NAT gateway a zone, charts of any repository", () => {
  const picture = drawn(twoZones);
  expect(places(picture)).toEqual([
    ["eu-west-1a", "public public-a", "private 10.0.1.0/24"],
    ["eu-west-1b", "public public-b", "private 10.0.2.0/24"],
  ]);
  const subnets = picture.networks.flatMap(({ zones }) => zones.flatMap((zone) => zone.subnets));
  expect(subnets.flatMap(({ natRoutes }) => natRoutes.map(last))).toEqual(["nat-a", "nat-b"]);
  expect(picture.gpuOperator).toBe("latest version");
  expect(picture.charts).toEqual(["aws-load-balancer-controller 3.5.0"]);
});

test("a cluster without a known subnet is in an existing VPC, open to anywhere as EKS makes it", () => {
  const picture = drawn(unknownSubnets);
  expect(picture.networks).toMatchObject([{ name: "existing VPC", zones: [] }]);
  expect(picture.clusters).toMatchObject([{ name: "cluster", endpoint: "public from anywhere" }]);
  expect(picture.nodeGroups).toMatchObject([{ name: "gpu", subnets: [] }]);
});

test("a program without network and cluster has an empty picture", () => {
  expect(drawn(bucketOnly)).toEqual({
    title: "test",
    region: "eu-west-1",
    networks: [],
    clusters: [],
    nodeGroups: [],
    addons: [],
    charts: [],
    paths: [],
  });
});

test("each VPC has its own subnets, the others are in an existing one", () => {
  const subnet = (name: string, zone: Record<string, unknown>, vpc?: string): ResourceSpec => ({
    type: "aws:ec2/subnet:Subnet",
    name,
    inputs: zone,
    from: vpc === undefined ? {} : { vpcId: [vpc] },
  });
  const picture = drawn([
    { type: "aws:ec2/vpc:Vpc", name: "one" },
    { type: "aws:ec2/vpc:Vpc", name: "two" },
    subnet("s1", { availabilityZoneId: "euw1-az1", mapPublicIpOnLaunch: true }, "one"),
    subnet("s2", {}, "two"),
    subnet("s3", { availabilityZone: "eu-west-1a" }),
  ]);
  expect(picture.networks.map(({ name }) => name)).toEqual(["one", "two", "existing VPC"]);
  expect(places(picture)).toEqual([
    ["euw1-az1", "public s1"],
    ["zone known after the update", "private s2"],
    ["eu-west-1a", "private s3"],
  ]);
});

test("an add-on without a pinned version has no version, a node group of unknown type has a note", () => {
  const picture = drawn([
    { type: "aws:eks/addon:Addon", name: "vpc-cni" },
    { type: "kubernetes:helm.sh/v3:Release", name: "chart-of-unknown-name" },
    { type: "aws:eks/nodeGroup:NodeGroup", name: "nodes", inputs: { instanceTypes: ["m7i.large", "m7a.large"] } },
    { type: "aws:eks/nodeGroup:NodeGroup", name: "other" },
  ]);
  expect(picture.addons).toEqual(["vpc-cni"]);
  expect(picture.charts).toEqual(["chart-of-unknown-name"]);
  expect(picture.nodeGroups.map(({ instanceType }) => instanceType)).toEqual([
    "m7i.large or m7a.large",
    "instance type known after the update",
  ]);
});

test.for([
  [1, ["GPU node"]],
  [2, ["GPU node 1", "GPU node 2"]],
  [3, ["GPU node 1", "GPU nodes 2 to 3"]],
  [unknownSentinel, ["GPU node 1", "GPU nodes 2 to n"]],
] as const)("the boxes of a GPU group with maximum %s stand for all of its nodes", ([maxSize, names]) => {
  const inputs = { instanceTypes: ["g5.xlarge"], scalingConfig: { maxSize }, subnetIds: ["subnet-0aaa"] };
  const picture = pictureOf(recordingOf([{ type: "aws:eks/nodeGroup:NodeGroup", name: "gpu", inputs }]), "eu-west-1");
  expect(boxesOf(picture).map(({ node }) => node)).toEqual(names);
});
