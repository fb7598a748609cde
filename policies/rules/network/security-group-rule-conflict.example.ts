import * as ec2 from "@pulumi/aws/ec2";
import * as vpc from "@pulumi/aws/vpc";

export function example(good: boolean) {
  const nodes = new ec2.SecurityGroup("nodes", {
    vpcId: "vpc-0a1b2c3d",
    // Each update of the group removes the rule for NCCL, and the next update adds it again.
    ingress: good ? undefined : [{ protocol: "tcp", fromPort: 10250, toPort: 10250, cidrBlocks: ["192.168.0.0/16"] }],
  });

  if (good) {
    new vpc.SecurityGroupIngressRule("kubelet", {
      securityGroupId: nodes.id,
      cidrIpv4: "192.168.0.0/16",
      ipProtocol: "tcp",
      fromPort: 10250,
      toPort: 10250,
    });
  }

  new vpc.SecurityGroupIngressRule("nccl", {
    securityGroupId: nodes.id,
    referencedSecurityGroupId: nodes.id,
    ipProtocol: "tcp",
    fromPort: 1025,
    toPort: 65535,
  });
}
