import * as eks from "@pulumi/aws/eks";
import * as iam from "@pulumi/aws/iam";
import { ExternalDnsIdentity } from "../../../components";
import { workers } from "../example-parts";

export function example(good: boolean) {
  const assumeRolePolicy = iam.assumeRolePolicyForPrincipal({ Service: "ec2.amazonaws.com" });
  const role = new iam.Role("nodes", { assumeRolePolicy });
  const aws = "arn:aws:iam::aws:policy";
  new iam.RolePolicyAttachment("node", { role, policyArn: `${aws}/AmazonEKSWorkerNodeMinimalPolicy` });
  new iam.RolePolicyAttachment("images", { role, policyArn: `${aws}/AmazonEC2ContainerRegistryPullOnly` });
  if (good) {
    new ExternalDnsIdentity("dns", { clusterName: "shop", hostedZoneIds: ["Z0123456789ABCDEFGHIJ"] });
  } else {
    // For ExternalDNS: every pod that can reach the metadata service of the node can change all DNS records.
    new iam.RolePolicyAttachment("dns", { role, policyArn: `${aws}/AmazonRoute53FullAccess` });
  }

  new eks.NodeGroup("workers", {
    ...workers,
    nodeRoleArn: role.arn,
  });
}
