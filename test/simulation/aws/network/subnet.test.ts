import { expect, test } from "vitest";
import { zoneId } from "../../../../simulation/aws/network/vpc";
import { types } from "../../../../simulation/aws/types";
import { answer, makeNetwork, newCloud, newCloudWithEks, put } from "../support";

test.for([
  ["10.0.4.0/22", "done"],
  ["10.0.2.0/23", "InvalidSubnet.Conflict: The CIDR '10.0.2.0/23' conflicts with another subnet"],
  ["10.0.0.0/21", "InvalidSubnet.Conflict: The CIDR '10.0.0.0/21' conflicts with another subnet"],
  ["10.1.0.0/22", "InvalidSubnet.Range: The CIDR '10.1.0.0/22' is invalid."],
  ["10.0.4.0/29", "InvalidSubnet.Range: The CIDR '10.0.4.0/29' is invalid."],
  ["10.0.0.0/15", "InvalidSubnet.Range: The CIDR '10.0.0.0/15' is invalid."],
  ["ten", "InvalidParameterValue: Value (ten) for parameter cidrBlock is invalid. This is not a valid CIDR block."],
] as const)("next to 10.0.0.0/22 in 10.0.0.0/16, %s: %s", async ([cidrBlock, expected]) => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  expect(await answer(cloud.create(types.subnet, { vpcId: vpc.id, cidrBlock }))).toBe(expected);
});

test("another VPC can use the same CIDR block", async () => {
  const cloud = newCloud();
  await makeNetwork(cloud);
  const other = await cloud.create(types.vpc, { cidrBlock: "10.0.0.0/16" });
  expect(await answer(cloud.create(types.subnet, { vpcId: other.id, cidrBlock: "10.0.0.0/22" }))).toBe("done");
});

test("a subnet requires its VPC and a zone of the region", async () => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  const create = (inputs: object) => answer(cloud.create(types.subnet, { cidrBlock: "10.0.4.0/22", ...inputs }));
  expect(await create({ vpcId: "vpc-0" })).toBe("InvalidVpcID.NotFound: The vpc ID 'vpc-0' does not exist");
  expect(await create({ vpcId: vpc.id, availabilityZone: "us-east-1a" })).toBe(
    "InvalidParameterValue: Value (us-east-1a) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ap-northeast-2a, ap-northeast-2b, ap-northeast-2c, ap-northeast-2d.",
  );
});

test("a subnet has its zone's id; the default is the first zone", async () => {
  const cloud = newCloud();
  const { vpc, subnet } = await makeNetwork(cloud);
  expect(subnet.computed).toMatchObject({
    arn: `arn:aws:ec2:ap-northeast-2:123456789012:subnet/${subnet.id}`,
    availabilityZoneId: "apne2-az1",
  });
  expect(subnet.computed["availabilityZone"]).toBeUndefined();
  const other = await cloud.create(types.subnet, { vpcId: vpc.id, cidrBlock: "10.0.4.0/22" });
  expect(other.computed["availabilityZone"]).toBe("ap-northeast-2a");
});

test.for([
  ["us-east-1c", "use1-az3"],
  ["us-gov-west-1a", "usgw1-az1"],
  ["ap-southeast-1b", "apse1-az2"],
] as const)("the zone %s is %s", ([zone, id]) => {
  expect(zoneId(zone)).toBe(id);
});

test.for([
  ["a cluster", types.cluster, (id: string) => ({ vpcConfig: { subnetIds: [id] } }), "rejected"],
  ["a node", types.instance, (id: string) => ({ subnetId: id }), "rejected"],
  ["a node group without nodes", types.nodeGroup, (id: string) => ({ subnetIds: [id] }), "done"],
] as const)("deleting a subnet with %s in it", async ([, type, inputs, expected]) => {
  const cloud = newCloudWithEks();
  const { subnet } = await makeNetwork(cloud);
  put(cloud, type, "user", inputs(subnet.id));
  const rejected = `DependencyViolation: The subnet '${subnet.id}' has dependencies and cannot be deleted.`;
  expect(await answer(cloud.delete(types.subnet, subnet.id))).toBe(expected === "rejected" ? rejected : "done");
});

test("a subnet with a NAT gateway cannot be deleted", async () => {
  const cloud = newCloud();
  const { subnet } = await makeNetwork(cloud);
  const address = await cloud.create(types.eip, { domain: "vpc" });
  const gateway = await cloud.create(types.natGateway, { allocationId: address.id, subnetId: subnet.id });
  expect(await answer(cloud.delete(types.subnet, subnet.id))).toContain("DependencyViolation");
  await cloud.delete(types.natGateway, gateway.id);
  expect(await answer(cloud.delete(types.subnet, subnet.id))).toBe("done");
});

test("a subnet's route table association is deleted with it", async () => {
  const cloud = newCloud();
  const { vpc, subnet } = await makeNetwork(cloud);
  const table = await cloud.create(types.routeTable, { vpcId: vpc.id });
  await cloud.create(types.routeTableAssociation, { subnetId: subnet.id, routeTableId: table.id });
  await cloud.delete(types.subnet, subnet.id);
  expect(cloud.find(types.routeTableAssociation)).toEqual([]);
});
