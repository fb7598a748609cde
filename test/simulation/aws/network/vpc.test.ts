import { expect, test } from "vitest";
import { types } from "../../../../simulation/aws/types";
import { propertyOf } from "../../../../simulation/cloud/model";
import { answer, makeNetwork, newCloud } from "../support";

test("a new VPC has a main route table and a default security group", async () => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  expect(vpc.computed).toMatchObject({
    arn: `arn:aws:ec2:ap-northeast-2:123456789012:vpc/${vpc.id}`,
    ownerId: "123456789012",
    region: "ap-northeast-2",
    tagsAll: { Name: "lab" },
    mainRouteTableId: vpc.computed["defaultRouteTableId"],
  });
  const table = cloud.get(types.routeTable, String(vpc.computed["defaultRouteTableId"]));
  const group = cloud.get(types.securityGroup, String(vpc.computed["defaultSecurityGroupId"]));
  expect(table?.inputs["vpcId"]).toBe(vpc.id);
  expect(group?.inputs).toMatchObject({ vpcId: vpc.id, name: "default" });
});

test.for([
  ["10.0.0.0/16", "done"],
  ["10.0.0.0/28", "done"],
  ["10.0.0.0/8", "InvalidVpc.Range: The CIDR '10.0.0.0/8' is invalid."],
  ["10.0.0.0/29", "InvalidVpc.Range: The CIDR '10.0.0.0/29' is invalid."],
  [
    "10.0.0/16",
    "InvalidParameterValue: Value (10.0.0/16) for parameter cidrBlock is invalid. This is not a valid CIDR block.",
  ],
] as const)("a VPC of %s: %s", async ([cidrBlock, expected]) => {
  expect(await answer(newCloud().create(types.vpc, { cidrBlock }))).toBe(expected);
});

test("the quota is five VPCs per region", async () => {
  const cloud = newCloud();
  for (let index = 0; index < 5; index += 1) await cloud.create(types.vpc, { cidrBlock: `10.${index}.0.0/16` });
  const sixth = cloud.create(types.vpc, { cidrBlock: "10.5.0.0/16" });
  expect(await answer(sixth)).toBe("VpcLimitExceeded: The maximum number of VPCs has been reached.");
});

test.for([
  [types.subnet, { cidrBlock: "10.0.8.0/22" }],
  [types.internetGateway, {}],
  [types.securityGroup, { name: "nodes", description: "Nodes" }],
  [types.routeTable, {}],
  [types.vpcEndpoint, { serviceName: "com.amazonaws.ap-northeast-2.s3", vpcEndpointType: "Gateway" }],
] as const)("a VPC with a %s cannot be deleted", async ([type, inputs]) => {
  const cloud = newCloud();
  const vpc = await cloud.create(types.vpc, { cidrBlock: "10.0.0.0/16" });
  const part = await cloud.create(type, { vpcId: vpc.id, ...inputs });
  expect(await answer(cloud.delete(types.vpc, vpc.id))).toBe(
    `DependencyViolation: The vpc '${vpc.id}' has dependencies and cannot be deleted.`,
  );
  await cloud.delete(type, part.id);
  expect(await answer(cloud.delete(types.vpc, vpc.id))).toBe("done");
  expect(cloud.objects).toEqual([]);
});

test("the default objects and the flow log of a VPC are deleted with it", async () => {
  const cloud = newCloud();
  const vpc = await cloud.create(types.vpc, { cidrBlock: "10.0.0.0/16" });
  await cloud.create(types.defaultRouteTable, { defaultRouteTableId: vpc.computed["defaultRouteTableId"] });
  await cloud.create(types.defaultSecurityGroup, { vpcId: vpc.id });
  await cloud.create(types.flowLog, { vpcId: vpc.id, trafficType: "ALL", logDestination: "arn:aws:logs:group" });
  await cloud.delete(types.vpc, vpc.id);
  expect(cloud.objects).toEqual([]);
});

test("a change of the tags keeps ids and default objects", async () => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  await cloud.create(types.defaultSecurityGroup, { vpcId: vpc.id, ingress: [] });
  const count = cloud.objects.length;
  const changed = await cloud.update(types.vpc, vpc.id, { ...vpc.inputs, tags: { Name: "other" } });
  expect(cloud.objects.length).toBe(count);
  expect(changed.computed).toEqual({ ...vpc.computed, tagsAll: { Name: "other" } });
  const group = cloud.get(types.securityGroup, String(vpc.computed["defaultSecurityGroupId"]));
  expect(group?.inputs["ingress"]).toEqual([]);
});

test("tagsAll contains the default tags of the provider", async () => {
  const defaultTags = JSON.stringify({ tags: { team: "gpu", Name: "none" } });
  const inputs = { cidrBlock: "10.0.0.0/16", tags: { Name: "lab" } };
  const vpc = await newCloud().create(types.vpc, inputs, { defaultTags });
  expect(propertyOf(vpc, "tagsAll")).toEqual({ team: "gpu", Name: "lab" });
});
