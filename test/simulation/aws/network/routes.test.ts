import { describe, expect, test } from "vitest";
import { unknownSentinel } from "../../../../components/core/wire";
import { route } from "../../../../simulation/aws/network/routes";
import { types } from "../../../../simulation/aws/types";
import { answer, makeNetwork, newCloud } from "../support";

describe("route tables", () => {
  test("a table cannot be deleted while a subnet uses it, and the main table never", async () => {
    const cloud = newCloud();
    const { vpc, subnet } = await makeNetwork(cloud);
    const table = await cloud.create(types.routeTable, { vpcId: vpc.id });
    const association = await cloud.create(types.routeTableAssociation, {
      subnetId: subnet.id,
      routeTableId: table.id,
    });
    const main = String(vpc.computed["mainRouteTableId"]);
    for (const id of [table.id, main]) {
      expect(await answer(cloud.delete(types.routeTable, id))).toBe(
        `DependencyViolation: The routeTable '${id}' has dependencies and cannot be deleted.`,
      );
    }
    await cloud.delete(types.routeTableAssociation, association.id);
    expect(await answer(cloud.delete(types.routeTable, table.id))).toBe("done");
  });

  test("a subnet uses one table of its own VPC", async () => {
    const cloud = newCloud();
    const { vpc, subnet } = await makeNetwork(cloud);
    const other = await makeNetwork(cloud, "10.1.0.0/16");
    const table = await cloud.create(types.routeTable, { vpcId: vpc.id });
    const associate = (subnetId: string, routeTableId: string) =>
      answer(cloud.create(types.routeTableAssociation, { subnetId, routeTableId }));
    expect(await associate(other.subnet.id, table.id)).toBe(
      `InvalidParameterValue: Route table ${table.id} and subnet ${other.subnet.id} belong to different networks`,
    );
    expect(await associate(subnet.id, "rtb-0")).toBe(
      "InvalidRouteTableID.NotFound: The routeTable ID 'rtb-0' does not exist",
    );
    expect(await associate(subnet.id, table.id)).toBe("done");
    expect(await associate(subnet.id, table.id)).toBe(
      `Resource.AlreadyAssociated: the specified association for route table ${table.id} conflicts with an existing association`,
    );
  });

  test("managing the main table replaces its routes; the table remains afterwards", async () => {
    const cloud = newCloud();
    const { vpc } = await makeNetwork(cloud);
    const id = String(vpc.computed["defaultRouteTableId"]);
    const tags = { Name: "closed" };
    const managed = await cloud.create(types.defaultRouteTable, { defaultRouteTableId: id, routes: [], tags });
    expect(managed).toMatchObject({ id, computed: { vpcId: vpc.id, tagsAll: tags } });
    expect(cloud.get(types.routeTable, id)?.inputs).toEqual({ vpcId: vpc.id, routes: [], tags });
    await cloud.delete(types.defaultRouteTable, id);
    expect(cloud.get(types.routeTable, id)?.inputs["tags"]).toEqual(tags);
  });
});

describe("routes", () => {
  async function makeTable() {
    const cloud = newCloud();
    const network = await makeNetwork(cloud);
    const table = await cloud.create(types.routeTable, {
      vpcId: network.vpc.id,
      routes: [{ cidrBlock: "10.9.0.0/16", gatewayId: network.gateway.id }],
    });
    return { cloud, ...network, table };
  }

  test.for([
    ["0.0.0.0/0", "done"],
    ["10.0.0.0/16", "RouteAlreadyExists: The route identified by 10.0.0.0/16 already exists."],
    ["10.9.0.0/16", "RouteAlreadyExists: The route identified by 10.9.0.0/16 already exists."],
    [
      "everywhere",
      "InvalidParameterValue: Value (everywhere) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block.",
    ],
  ] as const)("to %s: %s", async ([destinationCidrBlock, expected]) => {
    const { cloud, table, gateway } = await makeTable();
    const inputs = { routeTableId: table.id, destinationCidrBlock, gatewayId: gateway.id };
    expect(await answer(cloud.create(types.route, inputs))).toBe(expected);
  });

  test("a table has one route per destination", async () => {
    const { cloud, vpc, table, gateway } = await makeTable();
    const inputs = { routeTableId: table.id, destinationCidrBlock: "0.0.0.0/0", gatewayId: gateway.id };
    await cloud.create(types.route, inputs);
    expect(await answer(cloud.create(types.route, inputs))).toBe(
      "RouteAlreadyExists: The route identified by 0.0.0.0/0 already exists.",
    );
    const other = await cloud.create(types.routeTable, { vpcId: vpc.id });
    expect(await answer(cloud.create(types.route, { ...inputs, routeTableId: other.id }))).toBe("done");
  });

  test("its gateway must exist in the VPC of its table", async () => {
    const { cloud, table } = await makeTable();
    const other = await makeNetwork(cloud, "10.1.0.0/16");
    const address = await cloud.create(types.eip, {});
    const nat = await cloud.create(types.natGateway, { subnetId: other.subnet.id, allocationId: address.id });
    const to = (target: object) =>
      answer(cloud.create(types.route, { routeTableId: table.id, destinationCidrBlock: "0.0.0.0/0", ...target }));
    expect(await to({ gatewayId: "igw-0" })).toBe("InvalidGatewayID.NotFound: The gateway ID 'igw-0' does not exist");
    expect(await to({ natGatewayId: "nat-0" })).toBe(
      "InvalidNatGatewayID.NotFound: The natGateway ID 'nat-0' does not exist",
    );
    expect(await to({ gatewayId: other.gateway.id })).toBe(
      `InvalidParameterValue: route table ${table.id} and network gateway ${other.gateway.id} belong to different networks`,
    );
    expect(await to({ natGatewayId: nat.id })).toBe(
      `InvalidParameterValue: route table ${table.id} and natGateway ${nat.id} belong to different networks`,
    );
  });

  test("a route remains when its gateway is deleted, and is deleted with its table", async () => {
    const { cloud, subnet, table } = await makeTable();
    const address = await cloud.create(types.eip, {});
    const nat = await cloud.create(types.natGateway, { subnetId: subnet.id, allocationId: address.id });
    const made = await cloud.create(types.route, {
      routeTableId: table.id,
      destinationCidrBlock: "0.0.0.0/0",
      natGatewayId: nat.id,
    });
    expect(made.computed).toMatchObject({ origin: "CreateRoute", state: "active" });
    await cloud.delete(types.natGateway, nat.id);
    expect(cloud.find(types.route).length).toBe(1);
    await cloud.delete(types.routeTable, table.id);
    expect(cloud.find(types.route)).toEqual([]);
  });

  test("the provider requires one destination and one target, known or not", () => {
    const names = (inputs: object) =>
      route.check?.({ routeTableId: "rtb-1", ...inputs }).map(({ property }) => property);
    expect(names({ destinationCidrBlock: "0.0.0.0/0", gatewayId: unknownSentinel })).toEqual([]);
    expect(names({ gatewayId: "igw-1" })).toEqual(["destinationCidrBlock"]);
    expect(names({ destinationCidrBlock: "0.0.0.0/0", gatewayId: "igw-1", natGatewayId: "nat-1" })).toEqual([
      "gatewayId",
    ]);
  });
});
