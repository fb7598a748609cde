import { expect, test } from "vitest";
import type { Properties } from "../../../components/core/wire";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { makeNetwork, newCloud, permission, trust } from "./support";

/** The derived outputs of an object. */
function live(cloud: SimulatedCloud, type: string, id: string): Properties | undefined {
  const object = cloud.get(type, id);
  return object && cloud.modelOf(type).derivedOutputs?.(object, cloud);
}

// @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/iam/role.go resourceRoleRead
test("a role has its attached and inline policies; a policy has its number of roles", async () => {
  const cloud = newCloud();
  const { id: role } = await cloud.create(types.role, { name: "nodes", assumeRolePolicy: trust });
  const { id: other } = await cloud.create(types.role, { name: "other", assumeRolePolicy: trust });
  const { id: policyArn } = await cloud.create(types.policy, { name: "read", policy: permission });
  expect(live(cloud, types.role, role)).toEqual({ inlinePolicies: [], managedPolicyArns: [] });
  await cloud.create(types.rolePolicyAttachment, { role, policyArn });
  await cloud.create(types.rolePolicy, { role, name: "own", policy: permission });
  await cloud.create(types.rolePolicy, { role, policy: permission });
  expect(live(cloud, types.role, role)).toEqual({
    inlinePolicies: [
      { name: "own", policy: permission },
      { name: expect.stringMatching(/^terraform-\d+/) as string, policy: permission },
    ],
    managedPolicyArns: [policyArn],
  });
  expect(live(cloud, types.role, other)).toEqual({ inlinePolicies: [], managedPolicyArns: [] });
  expect(live(cloud, types.policy, policyArn)).toEqual({ attachmentCount: 1 });
});

// @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_route_table.go flattenRoutes
test("a route table has its routes", async () => {
  const cloud = newCloud();
  const { vpc, gateway } = await makeNetwork(cloud);
  const { id: routeTableId } = await cloud.create(types.routeTable, { vpcId: vpc.id });
  const { id: other } = await cloud.create(types.routeTable, { vpcId: vpc.id });
  const destinationCidrBlock = "0.0.0.0/0";
  await cloud.create(types.route, { routeTableId, destinationCidrBlock, gatewayId: gateway.id });
  const { routes } = live(cloud, types.routeTable, routeTableId) as { routes: Properties[] };
  expect(routes).toHaveLength(1);
  expect(routes[0]).toMatchObject({ cidrBlock: destinationCidrBlock, gatewayId: gateway.id, natGatewayId: "" });
  expect(routes[0]).not.toHaveProperty("destinationCidrBlock");
  expect(live(cloud, types.routeTable, other)).toEqual({ routes: [] });
});

// @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_security_group.go resourceSecurityGroupRead
test("a security group has its rules, with one entry for the same traffic", async () => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  const make = async (name: string) => (await cloud.create(types.securityGroup, { vpcId: vpc.id, name })).id;
  const [securityGroupId, other] = [await make("nodes"), await make("other")];
  const https = { securityGroupId, ipProtocol: "tcp", fromPort: 443, toPort: 443 };
  await cloud.create(types.ingressRule, { ...https, cidrIpv4: "10.0.0.0/8" });
  await cloud.create(types.ingressRule, { ...https, cidrIpv4: "172.16.0.0/12" });
  await cloud.create(types.ingressRule, { ...https, referencedSecurityGroupId: other });
  await cloud.create(types.ingressRule, { ...https, cidrIpv4: "192.168.0.0/16", description: "again" });
  const all = { securityGroupId, ipProtocol: "-1" };
  await cloud.create(types.egressRule, { ...all, referencedSecurityGroupId: securityGroupId });
  const listed = { protocol: "tcp", fromPort: 443, toPort: 443, self: false };
  expect(live(cloud, types.securityGroup, securityGroupId)).toEqual({
    ingress: [
      { ...listed, description: "", cidrBlocks: ["10.0.0.0/8", "172.16.0.0/12"], securityGroups: [other] },
      { ...listed, description: "again", cidrBlocks: ["192.168.0.0/16"] },
    ],
    egress: [{ protocol: "-1", fromPort: 0, toPort: 0, description: "", self: true }],
  });
  expect(live(cloud, types.securityGroup, other)).toEqual({ ingress: [], egress: [] });
});

// @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/ec2_eip.go resourceEIPRead
test("an address has the association with its NAT gateway", async () => {
  const cloud = newCloud();
  const { subnet } = await makeNetwork(cloud);
  const { id: allocationId } = await cloud.create(types.eip, {});
  const free = { associationId: "", instance: "", networkInterface: "", privateDns: "", privateIp: "" };
  expect(live(cloud, types.eip, allocationId)).toEqual(free);
  const { id, computed } = await cloud.create(types.natGateway, { allocationId, subnetId: subnet.id });
  const privateIp = String(computed["privateIp"]);
  expect(live(cloud, types.eip, allocationId)).toEqual({
    associationId: computed["associationId"],
    instance: "",
    networkInterface: computed["networkInterfaceId"],
    privateDns: `ip-${privateIp.replaceAll(".", "-")}.ap-northeast-2.compute.internal`,
    privateIp,
  });
  await cloud.delete(types.natGateway, id);
  expect(live(cloud, types.eip, allocationId)).toEqual(free);
});
