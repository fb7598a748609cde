import { afterEach, beforeEach, expect, test } from "vitest";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { createCloud } from "../../../simulation/create-cloud";
import { startProviders, type ProviderServers } from "../../../simulation/provider/serve";
import { ProviderClient } from "./provider-client";

let cloud: SimulatedCloud;
let served: ProviderServers;
const clients: ProviderClient[] = [];

beforeEach(async () => {
  cloud = createCloud();
  served = await startProviders(cloud);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await served.close();
});

async function provider(type: string, region?: string): Promise<ProviderClient> {
  const made = new ProviderClient(served, type, "thing");
  clients.push(made);
  await made.configure(region === undefined ? {} : { region });
  return made;
}

const regionOf = async (region?: string) => {
  const asked = await provider(types.vpc, region);
  const { names } = await asked.invoke("aws:index/getAvailabilityZones:getAvailabilityZones", {});
  return [(await asked.invoke("aws:index/getRegion:getRegion", {}))["region"], names];
};

test("the region of the provider decides which zones, ARNs and DNS names it sees", async () => {
  expect(await regionOf()).toEqual(await regionOf("ap-northeast-2"));
  const [region, zones] = await regionOf("us-west-2");
  expect([region, (zones as string[]).every((zone) => zone.startsWith("us-west-2"))]).toEqual(["us-west-2", true]);
  const china = await provider(types.vpc, "cn-north-1");
  expect(await china.invoke("aws:index/getPartition:getPartition", {})).toMatchObject({ partition: "aws-cn" });
  const { properties } = await china.create({ cidrBlock: "10.0.0.0/16" });
  expect(properties).toMatchObject({ region: "cn-north-1", arn: expect.stringContaining(":cn-north-1:") as string });
});

test("an object exists only in its region, and a name is free in each of them", async () => {
  const [seoul, oregon] = [await provider(types.logGroup), await provider(types.logGroup, "us-west-2")];
  const inputs = { name: "/aws/eks/myeks/cluster" };
  const { id } = await seoul.create(inputs);
  expect(await oregon.read(id)).toMatchObject({ id: "" });
  await oregon.create(inputs);
  expect(cloud.find(types.logGroup)).toHaveLength(1);
  expect(cloud.in("us-west-2").find(types.logGroup)).toHaveLength(1);
  await oregon.delete(id);
  expect(cloud.find(types.logGroup)).toHaveLength(1);
  expect(cloud.in("us-west-2").find(types.logGroup)).toEqual([]);
});

const statement = { Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" };
const trust = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });

test("IAM is the same in all regions", async () => {
  const [seoul, oregon] = [await provider(types.role), await provider(types.role, "us-west-2")];
  const inputs = { name: "nodes", assumeRolePolicy: trust };
  const { id } = await seoul.create(inputs);
  expect(await oregon.read(id)).toMatchObject({ id });
  await expect(oregon.create(inputs)).rejects.toMatchObject({
    details: expect.stringContaining("EntityAlreadyExists") as string,
  });
});

test("the regions share time, faults and history", () => {
  const other = cloud.in("us-west-2");
  expect(other).toBe(cloud.in("us-west-2"));
  expect(cloud.in("ap-northeast-2")).toBe(cloud);
  expect(other.in("ap-northeast-2")).toBe(cloud);
  expect(other.faults).toBe(cloud.faults);
  cloud.skip(3_600_000);
  expect(other.date.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
});
