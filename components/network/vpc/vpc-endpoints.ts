import * as ec2 from "@pulumi/aws/ec2";
import { SecurityGroupIngressRule } from "@pulumi/aws/vpc";
import * as pulumi from "@pulumi/pulumi";
import { regionOf } from "../../core/lookups";
import { transformed } from "../../core/transform";
import { after, partTags, type VpcParts } from "./vpc-parts";
import type { Subnets } from "./vpc-routing";

/**
 * The services that nodes and the controllers of a lab call: those that EKS lists for clusters without internet access,
 * Session Manager, and Auto Scaling for the Cluster Autoscaler. Route 53 has no endpoint in the regions: ExternalDNS
 * needs a NAT gateway.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html
 */
export const interfaceEndpointServices = [
  "ec2",
  "ecr.api",
  "ecr.dkr",
  "sts",
  "eks",
  "eks-auth",
  "logs",
  "ssm",
  "ssmmessages",
  "ec2messages",
  "autoscaling",
  "elasticloadbalancing",
] as const;

/** Name of a service in the provider's region, as in `com.amazonaws.ap-northeast-2.s3`. */
function serviceNames(parent: pulumi.Resource): (service: string) => pulumi.Output<string> {
  const region = regionOf(parent);
  return (service) => pulumi.interpolate`com.amazonaws.${region}.${service}`;
}

/**
 * The gateway endpoint of S3, which is free and carries the image layers of Amazon ECR past the NAT gateway, and the
 * interface endpoints where they are enabled. Returns what the first node depends on.
 */
export function makeEndpoints(
  parts: VpcParts,
  vpc: ec2.Vpc,
  subnets: Subnets,
  routeTables: readonly ec2.RouteTable[],
  interfaceEndpoints: boolean,
): pulumi.Resource[] {
  const serviceName = serviceNames(vpc);
  const args = {
    vpcId: vpc.id,
    vpcEndpointType: "Gateway",
    serviceName: serviceName("s3"),
    routeTableIds: routeTables.map((table) => table.id),
    tags: partTags(parts, "S3"),
  };
  const s3 = new ec2.VpcEndpoint(
    ...transformed(parts.transform.s3Endpoint, `${parts.name}-endpoint-s3`, args, parts.options),
  );
  return interfaceEndpoints ? [s3, ...makeInterfaceEndpoints(parts, vpc, subnets, serviceName)] : [s3];
}

function makeInterfaceEndpoints(
  parts: VpcParts,
  vpc: ec2.Vpc,
  subnets: Subnets,
  serviceName: (service: string) => pulumi.Output<string>,
): pulumi.Resource[] {
  const { group, https } = makeEndpointFirewall(parts, vpc);
  return interfaceEndpointServices.map((service) => {
    const args = {
      vpcId: vpc.id,
      vpcEndpointType: "Interface",
      serviceName: serviceName(service),
      subnetIds: subnets.private.map((subnet) => subnet.id),
      securityGroupIds: [group.id],
      privateDnsEnabled: true,
      tags: partTags(parts, service),
    };
    const name = `${parts.name}-endpoint-${service}`;
    return new ec2.VpcEndpoint(...transformed(parts.transform.interfaceEndpoint, name, args, after(parts, https)));
  });
}

/**
 * Private DNS immediately resolves a service's name to its endpoint. The rule that allows traffic from nodes must exist
 * before.
 */
function makeEndpointFirewall(parts: VpcParts, vpc: ec2.Vpc) {
  const { name, nameTag, tags, transform, options } = parts;
  const groupArgs = {
    namePrefix: `${nameTag}-endpoints-`,
    description: "Interface endpoints of the VPC",
    vpcId: vpc.id,
    tags: partTags(parts, "endpoints"),
  };
  const group = new ec2.SecurityGroup(
    ...transformed(transform.endpointSecurityGroup, `${name}-endpoints`, groupArgs, options),
  );
  const ruleArgs = {
    securityGroupId: group.id,
    description: "HTTPS from the VPC",
    ipProtocol: "tcp",
    fromPort: 443,
    toPort: 443,
    cidrIpv4: vpc.cidrBlock,
    tags,
  };
  const https = new SecurityGroupIngressRule(
    ...transformed(transform.endpointIngressRule, `${name}-endpoints-https`, ruleArgs, options),
  );
  return { group, https };
}
