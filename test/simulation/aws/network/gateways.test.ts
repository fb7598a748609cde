import { describe, expect, test } from "vitest";
import { types } from "../../../../simulation/aws/types";
import { IncompleteError } from "../../../../simulation/cloud/errors";
import type { SimulatedCloud } from "../../../../simulation/cloud/simulated-cloud";
import { answer, makeNetwork, newCloud, put } from "../support";

async function makeNat(cloud: SimulatedCloud) {
  const network = await makeNetwork(cloud);
  const address = await cloud.create(types.eip, { domain: "vpc" });
  const nat = await cloud.create(types.natGateway, {
    allocationId: address.id,
    subnetId: network.subnet.id,
    connectivityType: "public",
  });
  return { ...network, address, nat };
}

describe("internet gateways", () => {
  test("a VPC has at most one", async () => {
    const cloud = newCloud();
    const { vpc } = await makeNetwork(cloud);
    expect(await answer(cloud.create(types.internetGateway, { vpcId: vpc.id }))).toBe(
      `InvalidParameterValue: Network ${vpc.id} already has an internet gateway attached`,
    );
    expect(await answer(cloud.create(types.internetGateway, {}))).toBe("done");
  });

  test("it cannot be detached while a NAT gateway has a public address", async () => {
    const cloud = newCloud();
    const { vpc, gateway, nat } = await makeNat(cloud);
    const rejected = `DependencyViolation: Network ${vpc.id} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`;
    expect(await answer(cloud.delete(types.internetGateway, gateway.id))).toBe(rejected);
    expect(await answer(cloud.update(types.internetGateway, gateway.id, {}))).toBe(rejected);
    expect(await answer(cloud.update(types.internetGateway, gateway.id, { vpcId: vpc.id, tags: {} }))).toBe("done");
    await cloud.delete(types.natGateway, nat.id);
    expect(await answer(cloud.delete(types.internetGateway, gateway.id))).toBe("done");
  });

  test("it cannot be detached while nodes have public addresses, or attached to a VPC with a gateway", async () => {
    const cloud = newCloud();
    const { subnet, gateway } = await makeNetwork(cloud);
    const other = await makeNetwork(cloud, "10.1.0.0/16");
    const node = put(cloud, types.instance, "i-1", { subnetId: subnet.id });
    expect(await answer(cloud.delete(types.internetGateway, gateway.id))).toContain("mapped public address");
    cloud.remove(types.instance, node.id);
    expect(await answer(cloud.update(types.internetGateway, gateway.id, { vpcId: other.vpc.id }))).toContain(
      `Network ${other.vpc.id} already has`,
    );
  });

  test("an unused address does not prevent the deletion of a gateway", async () => {
    const cloud = newCloud();
    const { gateway } = await makeNetwork(cloud);
    await cloud.create(types.eip, {});
    expect(await answer(cloud.delete(types.internetGateway, gateway.id))).toBe("done");
  });
});

describe("addresses", () => {
  test("an address has an allocation id and DNS names", async () => {
    const address = await newCloud().create(types.eip, { domain: "vpc" });
    expect(address.computed).toMatchObject({
      allocationId: address.id,
      publicIp: "203.0.113.2",
      publicDns: "ec2-203-0-113-2.ap-northeast-2.compute.amazonaws.com",
    });
  });

  test("the quota is five addresses per region", async () => {
    const cloud = newCloud();
    for (let index = 0; index < 5; index += 1) await cloud.create(types.eip, {});
    expect(await answer(cloud.create(types.eip, {}))).toBe(
      "AddressLimitExceeded: The maximum number of addresses has been reached.",
    );
  });

  test("an address cannot be released while a NAT gateway uses it", async () => {
    const cloud = newCloud();
    const { address, nat } = await makeNat(cloud);
    expect(await answer(cloud.delete(types.eip, address.id))).toBe(
      "AuthFailure: You do not have permission to access the specified resource.",
    );
    await cloud.delete(types.natGateway, nat.id);
    expect(await answer(cloud.delete(types.eip, address.id))).toBe("done");
  });
});

describe("NAT gateways", () => {
  test("it has the public IP of its address and a private IP of its subnet", async () => {
    const { address, nat } = await makeNat(newCloud());
    expect(nat.computed).toMatchObject({ publicIp: address.computed["publicIp"], privateIp: "10.0.0.9" });
  });

  test("it takes 95 seconds to create", async () => {
    const cloud = newCloud();
    const { nat } = await makeNat(cloud);
    await cloud.delete(types.natGateway, nat.id);
    const took = cloud.history.filter(({ type }) => type === types.natGateway).map(({ from, to }) => to - from);
    expect(took).toEqual([95, 50]);
  });

  test.for([
    [{ subnetId: "subnet-0" }, "InvalidSubnetID.NotFound: The subnet ID 'subnet-0' does not exist"],
    [{ allocationId: "eipalloc-0" }, "InvalidAllocationID.NotFound: The allocation ID 'eipalloc-0' does not exist"],
    [
      { allocationId: undefined },
      "MissingParameter: The request must include the AllocationId parameter. Add the required parameter and retry the request.",
    ],
    [{ allocationId: undefined, connectivityType: "private" }, "done"],
  ] as const)("%o: %s", async ([inputs, expected]) => {
    const cloud = newCloud();
    const { subnet } = await makeNetwork(cloud);
    const address = await cloud.create(types.eip, {});
    const base = { subnetId: subnet.id, allocationId: address.id };
    expect(await answer(cloud.create(types.natGateway, { ...base, ...inputs }))).toBe(expected);
  });

  test("without an internet gateway, it is created and fails", async () => {
    const cloud = newCloud();
    const { vpc, subnet, gateway } = await makeNetwork(cloud);
    await cloud.delete(types.internetGateway, gateway.id);
    const address = await cloud.create(types.eip, {});
    const making = cloud.create(types.natGateway, { subnetId: subnet.id, allocationId: address.id });
    await expect(making).rejects.toThrow(IncompleteError);
    await expect(making).rejects.toThrow(
      `create: unexpected state 'failed', wanted target 'available'. last error: Gateway.NotAttached: Network ${vpc.id} has no Internet gateway attached`,
    );
    expect(cloud.find(types.natGateway).length).toBe(1);
  });

  test("with the address of another gateway, it is created and fails", async () => {
    const cloud = newCloud();
    const { subnet, address } = await makeNat(cloud);
    const making = cloud.create(types.natGateway, { subnetId: subnet.id, allocationId: address.id });
    await expect(making).rejects.toThrow(
      `Resource.AlreadyAssociated: Elastic IP address [${address.id}] is already associated`,
    );
  });
});
