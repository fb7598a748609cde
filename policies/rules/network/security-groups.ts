export const securityGroup = "aws:ec2/securityGroup:SecurityGroup";
/** The VPC's own group, adopted: Pulumi takes away every rule that it does not state. */
export const defaultSecurityGroup = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup";
/** A rule of the older kind. */
export const securityGroupRule = "aws:ec2/securityGroupRule:SecurityGroupRule";
export const ingressRule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
export const egressRule = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";
