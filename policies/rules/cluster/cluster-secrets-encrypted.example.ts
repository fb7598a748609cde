import * as eks from "@pulumi/aws/eks";
import { Key } from "@pulumi/aws/kms";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    roleArn: "arn:aws:iam::111122223333:role/shop-cluster",
    version: "1.35",
    vpcConfig: { subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"], publicAccessCidrs: ["203.0.113.7/32"] },
    accessConfig: { authenticationMode: "API" },
    enabledClusterLogTypes: ["api", "scheduler"],
    // EKS encrypts secrets with a key that AWS owns: no audit trail shows who decrypted them.
    encryptionConfig: good
      ? { provider: { keyArn: new Key("secrets", { enableKeyRotation: true }).arn }, resources: ["secrets"] }
      : undefined,
  });
}
