import { expect, test } from "vitest";
import { types } from "../../../../simulation/aws/types";
import { answer, makeNetwork, newCloud, trust } from "../support";

const s3 = "com.amazonaws.ap-northeast-2.s3";
const ec2 = "com.amazonaws.ap-northeast-2.ec2";

test.for([
  [{ vpcEndpointType: "Gateway", serviceName: s3 }, "done"],
  [{ vpcEndpointType: "Interface", serviceName: ec2 }, "done"],
  [
    { vpcEndpointType: "Gateway", serviceName: ec2 },
    "InvalidParameter: Endpoint type (Gateway) does not match available service types ([Interface]).",
  ],
  [
    { vpcEndpointType: "Gateway", serviceName: "com.amazonaws.us-east-1.s3" },
    "InvalidServiceName: The Vpc Endpoint Service 'com.amazonaws.us-east-1.s3' does not exist",
  ],
  [{ vpcId: "vpc-0", serviceName: s3 }, "InvalidVpcId.NotFound: The vpc ID 'vpc-0' does not exist"],
  [
    { serviceName: s3, routeTableIds: ["rtb-0"] },
    "InvalidRouteTableId.NotFound: The routeTable ID 'rtb-0' does not exist",
  ],
  [{ serviceName: ec2, subnetIds: ["subnet-0"] }, "InvalidSubnetId.NotFound: The subnet ID 'subnet-0' does not exist"],
  [
    { serviceName: ec2, securityGroupIds: ["sg-0"] },
    "InvalidSecurityGroupId.NotFound: The security group 'sg-0' does not exist",
  ],
] as const)("an endpoint %o: %s", async ([inputs, expected]) => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  expect(await answer(cloud.create(types.vpcEndpoint, { vpcId: vpc.id, ...inputs }))).toBe(expected);
});

test("an interface endpoint has DNS names, and prevents the deletion of its subnets and groups", async () => {
  const cloud = newCloud();
  const { vpc, subnet } = await makeNetwork(cloud);
  const group = await cloud.create(types.securityGroup, { vpcId: vpc.id, name: "endpoints", description: "e" });
  const endpoint = await cloud.create(types.vpcEndpoint, {
    vpcId: vpc.id,
    vpcEndpointType: "Interface",
    serviceName: ec2,
    subnetIds: [subnet.id],
    securityGroupIds: [group.id],
    privateDnsEnabled: true,
  });
  expect(endpoint.computed).toMatchObject({ state: "available", prefixListId: "" });
  expect(endpoint.computed["dnsEntries"]).toEqual([
    { dnsName: `${endpoint.id}.ec2.ap-northeast-2.vpce.amazonaws.com`, hostedZoneId: "Z27UANNT0PRK1T" },
  ]);
  expect(await answer(cloud.delete(types.subnet, subnet.id))).toContain("DependencyViolation");
  expect(await answer(cloud.delete(types.securityGroup, group.id))).toBe(
    `DependencyViolation: resource ${group.id} has a dependent object`,
  );
});

test("private DNS requires DNS in the VPC and a single endpoint per service", async () => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  const plain = await cloud.create(types.vpc, { cidrBlock: "10.1.0.0/16", enableDnsSupport: true });
  const create = (vpcId: string) =>
    answer(
      cloud.create(types.vpcEndpoint, {
        vpcId,
        vpcEndpointType: "Interface",
        serviceName: "com.amazonaws.ap-northeast-2.ecr.api",
        privateDnsEnabled: true,
      }),
    );
  expect(await create(plain.id)).toBe(
    `InvalidParameter: Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true for ${plain.id}`,
  );
  expect(await create(vpc.id)).toBe("done");
  expect(await create(vpc.id)).toBe(
    `InvalidParameter: private-dns-enabled cannot be set because there is already a conflicting DNS domain for api.ecr.ap-northeast-2.amazonaws.com in the VPC ${vpc.id}.`,
  );
});

test("an endpoint has one subnet per zone", async () => {
  const cloud = newCloud();
  const { vpc, subnet } = await makeNetwork(cloud);
  const second = await cloud.create(types.subnet, { vpcId: vpc.id, cidrBlock: "10.0.4.0/22" });
  const inputs = { vpcId: vpc.id, vpcEndpointType: "Interface", serviceName: ec2, subnetIds: [subnet.id, second.id] };
  expect(await answer(cloud.create(types.vpcEndpoint, inputs))).toBe(
    `DuplicateSubnetsInSameZone: Found another VPC endpoint subnet in the availability zone of ${second.id}. VPC endpoint subnets should be in different availability zones supported by the VPC endpoint service.`,
  );
});

test("a route table has one gateway endpoint per service, and can be deleted before it", async () => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  const table = await cloud.create(types.routeTable, { vpcId: vpc.id });
  const inputs = { vpcId: vpc.id, vpcEndpointType: "Gateway", serviceName: s3, routeTableIds: [table.id] };
  const first = await cloud.create(types.vpcEndpoint, inputs);
  expect(await answer(cloud.create(types.vpcEndpoint, inputs))).toBe(
    `RouteAlreadyExists: route table ${table.id} already has a route with destination-prefix-list-id ${String(first.computed["prefixListId"])}`,
  );
  expect(await answer(cloud.delete(types.routeTable, table.id))).toBe("done");
});

test("a flow log requires an existing role and must be unique", async () => {
  const cloud = newCloud();
  const { vpc } = await makeNetwork(cloud);
  const role = await cloud.create(types.role, { name: "logs", assumeRolePolicy: trust });
  const inputs = { vpcId: vpc.id, trafficType: "ALL", logDestination: "arn:aws:logs:group" };
  const create = (iamRoleArn: unknown) => answer(cloud.create(types.flowLog, { ...inputs, iamRoleArn }));
  expect(await create("arn:aws:iam::123456789012:role/none")).toBe("InvalidParameter: Unable to assume given IAM role");
  expect(await create(role.computed["arn"])).toBe("done");
  expect(await create(role.computed["arn"])).toBe(
    "FlowLogAlreadyExists: Error. There is an existing Flow Log with the same configuration and log destination.",
  );
});
