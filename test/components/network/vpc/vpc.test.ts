import * as ec2 from "@pulumi/aws/ec2";
import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../../components/core/problems";
import { firstZones, Vpc } from "../../../../components/network/vpc/vpc";
import type { VpcArgs } from "../../../../components/network/vpc/vpc-schema";
import { interfaceEndpointServices } from "../../../../components/network/vpc/vpc-endpoints";
import type { RecordedResource, Recording, Cloud } from "../../../../planner/record/record";
import { unknownSentinel } from "../../../../components/core/wire";
import { offlineCloud } from "../../../../planner/record/offline-cloud";
import { byName, ofType, only, plan, reaches, type PlanOptions } from "../../../support/plan";

const zones = ["ap-northeast-2a", "ap-northeast-2b", "ap-northeast-2c"];

function planVpc(args?: VpcArgs, options?: PlanOptions): Promise<Recording> {
  return plan(() => void new Vpc("lab", args), options);
}

/** Logical names of what a resource depends on, through any of its inputs or by an explicit order. */
function dependencyNames(resource: RecordedResource): string[] {
  return resource.dependencies.map(nameOf).sort();
}

function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? urn;
}

/** What each resource of a type was made with, by logical name; unknown values read `?`. */
function inputsByName(recording: Recording, type: string): Record<string, unknown> {
  const readable = (_: string, value: unknown) => (value === unknownSentinel ? "?" : value);
  return Object.fromEntries(
    ofType(recording, type).map(({ name, inputs }) => [name, JSON.parse(JSON.stringify(inputs, readable))]),
  );
}

function cloud(changes: Partial<Cloud>): Cloud {
  return { ...offlineCloud("ap-northeast-2"), ...changes };
}

describe("by default", async () => {
  const recording = await planVpc({ zones, nameTag: "myeks" });

  test("the resolved arguments reach the engine", () => {
    expect(only(recording, "eks-gpu-lab:index:Vpc").inputs).toEqual({
      cidr: "192.168.0.0/16",
      zones,
      natGateways: "single",
      interfaceEndpoints: false,
      flowLogs: false,
      nameTag: "myeks",
      tags: {},
    });
  });

  test("the VPC has DNS resolution and host names", () => {
    expect(only(recording, "aws:ec2/vpc:Vpc")).toMatchObject({
      name: "lab",
      inputs: {
        cidrBlock: "192.168.0.0/16",
        enableDnsSupport: true,
        enableDnsHostnames: true,
        tags: { Name: "myeks-VPC" },
      },
    });
  });

  test.for([
    ["lab-public-1", "192.168.0.0/22", "ap-northeast-2a", true, "PublicSubnet-a", "kubernetes.io/role/elb"],
    ["lab-public-2", "192.168.4.0/22", "ap-northeast-2b", true, "PublicSubnet-b", "kubernetes.io/role/elb"],
    ["lab-public-3", "192.168.8.0/22", "ap-northeast-2c", true, "PublicSubnet-c", "kubernetes.io/role/elb"],
    [
      "lab-private-1",
      "192.168.12.0/22",
      "ap-northeast-2a",
      false,
      "PrivateSubnet-a",
      "kubernetes.io/role/internal-elb",
    ],
    [
      "lab-private-2",
      "192.168.16.0/22",
      "ap-northeast-2b",
      false,
      "PrivateSubnet-b",
      "kubernetes.io/role/internal-elb",
    ],
    [
      "lab-private-3",
      "192.168.20.0/22",
      "ap-northeast-2c",
      false,
      "PrivateSubnet-c",
      "kubernetes.io/role/internal-elb",
    ],
  ] as const)("subnet %s", ([name, cidrBlock, availabilityZone, mapPublicIpOnLaunch, label, roleTag]) => {
    expect(byName(recording, name).inputs).toEqual({
      vpcId: unknownSentinel,
      cidrBlock,
      availabilityZone,
      mapPublicIpOnLaunch,
      tags: { Name: `myeks-${label}`, [roleTag]: "1" },
    });
  });

  test("public subnets lead to the internet gateway, private ones to the one NAT gateway", () => {
    expect(inputsByName(recording, "aws:ec2/route:Route")).toEqual({
      "lab-public-internet": { routeTableId: "?", destinationCidrBlock: "0.0.0.0/0", gatewayId: "?" },
      "lab-private-internet-1": { routeTableId: "?", destinationCidrBlock: "0.0.0.0/0", natGatewayId: "?" },
    });
    expect(dependencyNames(byName(recording, "lab-public-internet"))).toEqual([
      "lab-internet-gateway",
      "lab-public-routes",
    ]);
    expect(dependencyNames(byName(recording, "lab-private-internet-1"))).toEqual(["lab-nat-1", "lab-private-routes-1"]);
    const associations = ofType(recording, "aws:ec2/routeTableAssociation:RouteTableAssociation");
    expect(Object.fromEntries(associations.map((one) => [one.name, dependencyNames(one)]))).toEqual({
      "lab-public-1-routes": ["lab-public-1", "lab-public-routes"],
      "lab-public-2-routes": ["lab-public-2", "lab-public-routes"],
      "lab-public-3-routes": ["lab-public-3", "lab-public-routes"],
      "lab-private-1-routes": ["lab-private-1", "lab-private-routes-1"],
      "lab-private-2-routes": ["lab-private-2", "lab-private-routes-1"],
      "lab-private-3-routes": ["lab-private-3", "lab-private-routes-1"],
    });
  });

  test("the NAT gateway and its address go before the internet gateway", () => {
    const address = byName(recording, "lab-nat-1-address");
    expect(address.inputs).toEqual({ domain: "vpc", tags: { Name: "myeks-NAT" } });
    expect(dependencyNames(address)).toEqual(["lab-internet-gateway"]);
    const gateway = byName(recording, "lab-nat-1");
    expect(gateway.inputs).toEqual({
      allocationId: unknownSentinel,
      subnetId: unknownSentinel,
      tags: { Name: "myeks-NAT" },
    });
    expect(dependencyNames(gateway)).toEqual(["lab-internet-gateway", "lab-nat-1-address", "lab-public-1"]);
  });

  test("the VPC's own security group and route table let nothing through", () => {
    const tags = { Name: "myeks-VPC-default" };
    expect(byName(recording, "lab-default-group").inputs).toEqual({
      vpcId: unknownSentinel,
      ingress: [],
      egress: [],
      tags,
    });
    expect(byName(recording, "lab-default-routes").inputs).toEqual({
      defaultRouteTableId: unknownSentinel,
      routes: [],
      tags,
    });
  });

  test("S3 is reached past the NAT gateway, from every subnet", () => {
    const s3 = only(recording, "aws:ec2/vpcEndpoint:VpcEndpoint");
    expect(s3.inputs).toEqual({
      vpcId: unknownSentinel,
      vpcEndpointType: "Gateway",
      serviceName: "com.amazonaws.ap-northeast-2.s3",
      routeTableIds: [unknownSentinel, unknownSentinel],
      tags: { Name: "myeks-S3" },
    });
    expect(s3.propertyDependencies["routeTableIds"]?.map(nameOf).sort()).toEqual([
      "lab-private-routes-1",
      "lab-public-routes",
    ]);
  });

  test("every resource is a child of the component, and there are no others", () => {
    const component = only(recording, "eks-gpu-lab:index:Vpc");
    const children = recording.resources.filter((resource) => resource.custom);
    expect(new Set(children.map((child) => child.parent))).toEqual(new Set([component.urn]));
    // As many as in the Terraform original, and the S3 endpoint.
    expect(children.length).toBe(22 + 1);
    expect(inputsByName(recording, "aws:ec2/routeTable:RouteTable")).toEqual({
      "lab-public-routes": { vpcId: "?", tags: { Name: "myeks-VPC-public" } },
      "lab-private-routes-1": { vpcId: "?", tags: { Name: "myeks-VPC-private" } },
    });
    expect(byName(recording, "lab-internet-gateway").inputs).toEqual({
      vpcId: unknownSentinel,
      tags: { Name: "myeks-IGW" },
    });
  });
});

describe("zones", () => {
  const call = "aws:index/getAvailabilityZones:getAvailabilityZones";

  function cloudWith(names: string[], seen: unknown[] = []): Cloud {
    const offline = offlineCloud("ap-northeast-2");
    return cloud({
      call(token, args) {
        if (token !== call) return offline.call(token, args);
        seen.push(args);
        return { names };
      },
    });
  }

  test("the default is the first three that need no opt-in and that EKS takes", async () => {
    const seen: unknown[] = [];
    const recording = await planVpc({}, { cloud: cloudWith([...zones, "ap-northeast-2d"], seen) });
    expect(seen).toEqual([
      {
        state: "available",
        filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }],
        excludeZoneIds: ["use1-az3", "usw1-az2", "cac1-az3"],
      },
    ]);
    expect(
      ["lab-public-1", "lab-private-2", "lab-private-3"].map((name) => byName(recording, name).inputs),
    ).toMatchObject([
      { availabilityZone: "ap-northeast-2a", tags: { Name: "lab-PublicSubnet-a" } },
      { availabilityZone: "ap-northeast-2b", tags: { Name: "lab-PrivateSubnet-b" } },
      { availabilityZone: "ap-northeast-2c", tags: { Name: "lab-PrivateSubnet-c" } },
    ]);
    expect(ofType(recording, "aws:ec2/subnet:Subnet").length).toBe(6);
    expect(only(recording, "eks-gpu-lab:index:Vpc").inputs).not.toHaveProperty("zones");
  });

  test("explicit zones are not read from AWS", async () => {
    const seen: unknown[] = [];
    await planVpc({ zones }, { cloud: cloudWith([], seen) });
    expect(seen).toEqual([]);
  });

  test("a region with two zones is a problem, and no third subnet is created", async () => {
    const program = () => void firstZones(3, new ec2.Vpc("vpc"));
    const error = await plan(program, { cloud: cloudWith(["us-west-1a", "us-west-1c"]) }).catch(
      (reason: unknown) => reason,
    );
    expect(InputError.is(error) && error.message).toMatchInlineSnapshot(`
      "1 problem with Vpc:
        zones: got ["us-west-1a","us-west-1c"]. The default is the first 3 zones, and EKS accepts 2 of this region's zones in this account.
          fix: set zones to two or more of them, e.g. ["us-west-1a","us-west-1c"], or choose another region"
    `);
    expect(InputError.is(error) && error.problems).toMatchObject([
      { code: "not-offered", path: "zones", got: ["us-west-1a", "us-west-1c"] },
    ]);
  });

  test("a fourth zone at the end leaves every other subnet as it is", async () => {
    const subnetsOf = async (names: string[]) => inputsByName(await planVpc({ zones: names }), "aws:ec2/subnet:Subnet");
    const three = await subnetsOf(zones);
    const four = await subnetsOf([...zones, "ap-northeast-2d"]);
    expect(four).toMatchObject(three);
    expect(Object.keys(four).filter((name) => !(name in three))).toEqual(["lab-public-4", "lab-private-4"]);
  });
});

describe("NAT gateways", () => {
  test("one a zone: each private subnet leaves through its own", async () => {
    const recording = await planVpc({ zones, natGateways: "perAz" });
    for (const number of [1, 2, 3]) {
      const dependencies = (name: string) => dependencyNames(byName(recording, name));
      expect(dependencies(`lab-nat-${number}`)).toContain(`lab-public-${number}`);
      expect(dependencies(`lab-private-internet-${number}`)).toEqual([
        `lab-nat-${number}`,
        `lab-private-routes-${number}`,
      ]);
      expect(dependencies(`lab-private-${number}-routes`)).toContain(`lab-private-routes-${number}`);
    }
    expect(byName(recording, "lab-nat-2").inputs["tags"]).toEqual({ Name: "lab-NAT-2" });
    expect(byName(recording, "lab-private-routes-3").inputs["tags"]).toEqual({ Name: "lab-VPC-private-3" });
    expect(byName(recording, "lab-endpoint-s3").inputs["routeTableIds"]).toHaveLength(4);
  });

  test("from one to one a zone nothing that was there is replaced", async () => {
    const single = await planVpc({ zones });
    const perAz = await planVpc({ zones, natGateways: "perAz" });
    const urns = new Set(perAz.resources.map((resource) => resource.urn));
    expect(single.resources.filter((resource) => !urns.has(resource.urn))).toEqual([]);
  });

  test("none: no address and no private route, and everything else still there", async () => {
    const recording = await planVpc({ zones, natGateways: "none", interfaceEndpoints: true });
    expect(ofType(recording, "aws:ec2/natGateway:NatGateway")).toEqual([]);
    expect(ofType(recording, "aws:ec2/eip:Eip")).toEqual([]);
    expect(ofType(recording, "aws:ec2/route:Route").map((one) => one.name)).toEqual(["lab-public-internet"]);
    expect(dependencyNames(byName(recording, "lab-private-3-routes"))).toEqual([
      "lab-private-3",
      "lab-private-routes-1",
    ]);
  });
});

describe("interface endpoints", async () => {
  const recording = await planVpc({ zones, interfaceEndpoints: true, tags: { team: "ml" } });

  test("each service nodes need has one in every private subnet, with its public name", () => {
    const expected = interfaceEndpointServices.map((service) => [
      `lab-endpoint-${service}`,
      {
        vpcId: "?",
        vpcEndpointType: "Interface",
        serviceName: `com.amazonaws.ap-northeast-2.${service}`,
        subnetIds: ["?", "?", "?"],
        securityGroupIds: ["?"],
        privateDnsEnabled: true,
        tags: { Name: `lab-${service}`, team: "ml" },
      },
    ]);
    const { "lab-endpoint-s3": s3, ...endpoints } = inputsByName(recording, "aws:ec2/vpcEndpoint:VpcEndpoint");
    expect(endpoints).toEqual(Object.fromEntries(expected));
    expect(s3).toMatchObject({ vpcEndpointType: "Gateway" });
    expect(Object.keys(endpoints).length).toBe(12);
  });

  test("they take HTTPS from the VPC alone, and not before the rule is there", () => {
    expect(byName(recording, "lab-endpoints").inputs).toEqual({
      namePrefix: "lab-endpoints-",
      description: "Interface endpoints of the VPC",
      vpcId: unknownSentinel,
      tags: { Name: "lab-endpoints", team: "ml" },
    });
    expect(byName(recording, "lab-endpoints-https").inputs).toEqual({
      securityGroupId: unknownSentinel,
      description: "HTTPS from the VPC",
      ipProtocol: "tcp",
      fromPort: 443,
      toPort: 443,
      cidrIpv4: "192.168.0.0/16",
      tags: { team: "ml" },
    });
    const sts = byName(recording, "lab-endpoint-sts");
    expect(dependencyNames(sts)).toContain("lab-endpoints-https");
    expect(sts.propertyDependencies["subnetIds"]?.map(nameOf)).toEqual([
      "lab-private-1",
      "lab-private-2",
      "lab-private-3",
    ]);
  });
});

test("flow logs go to a log group that forgets after a week, through a role that can do nothing else", async () => {
  const arn = "arn:aws:logs:ap-northeast-2:123456789012:log-group:flows";
  const outputs: Record<string, object> = {
    "aws:cloudwatch/logGroup:LogGroup": { arn },
    "aws:ec2/vpc:Vpc": { ownerId: "123456789012" },
  };
  const known = cloud({ outputsOf: ({ type }) => ({ ...outputs[type] }) });
  const recording = await planVpc({ zones, flowLogs: true }, { cloud: known });

  expect(byName(recording, "lab-flow-log-group").inputs).toEqual({
    namePrefix: "/aws/vpc/lab/flow-logs-",
    retentionInDays: 7,
    tags: { Name: "lab-flow-logs" },
  });
  expect(JSON.parse(byName(recording, "lab-flow-log-role").inputs["assumeRolePolicy"] as string)).toEqual({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { Service: "vpc-flow-logs.amazonaws.com" },
        Action: "sts:AssumeRole",
        Condition: { StringEquals: { "aws:SourceAccount": "123456789012" } },
      },
    ],
  });
  expect(JSON.parse(byName(recording, "lab-flow-log-policy").inputs["policy"] as string)).toEqual({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogGroups", "logs:DescribeLogStreams"],
        Resource: `${arn}:*`,
      },
    ],
  });
  const flowLog = byName(recording, "lab-flow-log");
  expect(flowLog.inputs).toMatchObject({ trafficType: "ALL", logDestination: arn, maxAggregationInterval: 60 });
  expect(dependencyNames(flowLog)).toContain("lab-flow-log-policy");
});

test("a node group that depends on `ready` starts after, and is destroyed before, all it needs on its way out", async () => {
  const recording = await plan(() => {
    const vpc = new Vpc("lab", { zones, natGateways: "perAz", interfaceEndpoints: true, flowLogs: true });
    new ec2.PlacementGroup("nodes", { strategy: "cluster" }, { dependsOn: vpc.ready });
  });
  const { urn: nodes } = byName(recording, "nodes");
  const others = recording.resources.filter(({ custom, urn }) => custom && !reaches(recording, nodes, urn));
  expect(others.map((resource) => resource.name).sort()).toEqual([
    "lab-default-group",
    "lab-default-routes",
    "lab-flow-log",
    "lab-flow-log-group",
    "lab-flow-log-policy",
    "lab-flow-log-role",
  ]);
});

test("outputs are those of the resources, in the order of the zones", async () => {
  const recording = await plan(() => {
    const vpc = new Vpc("lab", { zones: ["us-west-1c", "us-west-1a"], cidr: "10.0.0.0/22", natGateways: "perAz" });
    const uses = (name: string, id: pulumi.Output<string>) => void new ec2.PlacementGroup(name, { strategy: id });
    uses("vpcId", vpc.vpcId);
    uses("cidrBlock", vpc.cidrBlock);
    uses("publicRouteTableId", vpc.publicRouteTableId);
    for (const list of ["publicSubnetIds", "privateSubnetIds", "natGatewayIds", "privateRouteTableIds"] as const) {
      vpc[list].forEach((id, index) => uses(`${list}[${index}]`, id));
    }
    return { zones: vpc.zones, cidrBlock: vpc.cidrBlock };
  });
  expect(recording.outputs).toEqual({ zones: ["us-west-1c", "us-west-1a"], cidrBlock: "10.0.0.0/22" });
  const users = ofType(recording, "aws:ec2/placementGroup:PlacementGroup");
  expect(Object.fromEntries(users.map((user) => [user.name, dependencyNames(user).join()]))).toEqual({
    vpcId: "lab",
    cidrBlock: "lab",
    publicRouteTableId: "lab-public-routes",
    "publicSubnetIds[0]": "lab-public-1",
    "publicSubnetIds[1]": "lab-public-2",
    "privateSubnetIds[0]": "lab-private-1",
    "privateSubnetIds[1]": "lab-private-2",
    "natGatewayIds[0]": "lab-nat-1",
    "natGatewayIds[1]": "lab-nat-2",
    "privateRouteTableIds[0]": "lab-private-routes-1",
    "privateRouteTableIds[1]": "lab-private-routes-2",
  });
  expect(byName(recording, "lab-private-1").inputs).toMatchObject({
    availabilityZone: "us-west-1c",
    cidrBlock: "10.0.2.0/24",
  });
});

test("explicit blocks reach the subnets", async () => {
  const publicSubnetCidrs = ["10.0.0.0/27", "10.0.0.32/27"];
  const privateSubnetCidrs = ["10.0.1.0/24", "10.0.2.0/24"];
  const args = { cidr: "10.0.0.0/22", zones: zones.slice(0, 2), publicSubnetCidrs, privateSubnetCidrs };
  const recording = await planVpc(args);
  const cidrs = ofType(recording, "aws:ec2/subnet:Subnet").map(({ name, inputs }) => [name, inputs["cidrBlock"]]);
  expect(Object.fromEntries(cidrs)).toEqual({
    "lab-public-1": "10.0.0.0/27",
    "lab-public-2": "10.0.0.32/27",
    "lab-private-1": "10.0.1.0/24",
    "lab-private-2": "10.0.2.0/24",
  });
});
