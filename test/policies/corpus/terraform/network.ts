import * as aws from "@pulumi/aws";

const tags = { Environment: "cloudneta-lab" };
const zones = ["ap-northeast-2a", "ap-northeast-2b", "ap-northeast-2c"];
export const vpcCidr = "192.168.0.0/16";

/** The network: three public and three private subnets, and one NAT gateway. */
export function network() {
  const named = (Name: string) => ({ Name, ...tags });
  const vpc = new aws.ec2.Vpc("vpc", {
    cidrBlock: vpcCidr,
    enableDnsSupport: true,
    enableDnsHostnames: true,
    tags: named("myeks-VPC"),
  });
  new aws.ec2.DefaultSecurityGroup("vpc", { vpcId: vpc.id, ingress: [], egress: [], tags: named("myeks-VPC-default") });
  new aws.ec2.DefaultRouteTable("vpc", {
    defaultRouteTableId: vpc.defaultRouteTableId,
    routes: [],
    tags: named("myeks-VPC-default"),
  });
  const gateway = new aws.ec2.InternetGateway("vpc", { vpcId: vpc.id, tags: named("myeks-IGW") });

  const subnets = (kind: "public" | "private", first: number) =>
    zones.map(
      (availabilityZone, index) =>
        new aws.ec2.Subnet(`${kind}-${index}`, {
          vpcId: vpc.id,
          availabilityZone,
          cidrBlock: `192.168.${first + 4 * index}.0/22`,
          mapPublicIpOnLaunch: kind === "public",
          tags: {
            ...named(kind === "public" ? "myeks-PublicSubnet" : "myeks-PrivateSubnet"),
            [`kubernetes.io/role/${kind === "public" ? "elb" : "internal-elb"}`]: "1",
          },
        }),
    );
  const publicSubnets = subnets("public", 0);
  const privateSubnets = subnets("private", 12);

  const address = new aws.ec2.Eip("nat", { domain: "vpc", tags: named("myeks-VPC-ap-northeast-2a") });
  const nat = new aws.ec2.NatGateway(
    "nat",
    { allocationId: address.id, subnetId: publicSubnets[0]?.id ?? "", tags: named("myeks-NAT") },
    { dependsOn: gateway },
  );
  const routed = (
    kind: string,
    of: aws.ec2.Subnet[],
    target: { gatewayId: typeof vpc.id } | { natGatewayId: typeof vpc.id },
  ) => {
    const table = new aws.ec2.RouteTable(kind, { vpcId: vpc.id, tags: named(`myeks-VPC-${kind}`) });
    new aws.ec2.Route(kind, { routeTableId: table.id, destinationCidrBlock: "0.0.0.0/0", ...target });
    of.forEach((subnet, index) => {
      new aws.ec2.RouteTableAssociation(`${kind}-${index}`, { subnetId: subnet.id, routeTableId: table.id });
    });
  };
  routed("public", publicSubnets, { gatewayId: gateway.id });
  routed("private", privateSubnets, { natGatewayId: nat.id });
  return { vpc, privateSubnets };
}

export type Network = ReturnType<typeof network>;
