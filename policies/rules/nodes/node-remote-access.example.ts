import * as eks from "@pulumi/aws/eks";
import { workers } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("workers", {
    ...workers,
    // Without a security group, EKS opens port 22 of every node to 0.0.0.0/0.
    remoteAccess: good ? { ec2SshKey: "ops", sourceSecurityGroupIds: ["sg-0a1b2c3d"] } : { ec2SshKey: "ops" },
  });
}
