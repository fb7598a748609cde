import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("workers", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 3 },
    // Without a security group, EKS opens port 22 of every node to 0.0.0.0/0.
    remoteAccess: good ? { ec2SshKey: "ops", sourceSecurityGroupIds: ["sg-0a1b2c3d"] } : { ec2SshKey: "ops" },
  });
}
