import * as eks from "@pulumi/aws/eks";
import { Key } from "@pulumi/aws/kms";

export function bad() {
  // EKS encrypts secrets with a key that AWS owns: no audit trail shows who decrypted them.
  new eks.Cluster("shop", {
    roleArn: "arn:aws:iam::111122223333:role/shop-cluster",
    version: "1.35",
    vpcConfig: { subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"], publicAccessCidrs: ["203.0.113.7/32"] },
    accessConfig: { authenticationMode: "API" },
    enabledClusterLogTypes: ["api", "scheduler"],
  });
}

export function good() {
  const key = new Key("secrets", { enableKeyRotation: true });

  new eks.Cluster("shop", {
    roleArn: "arn:aws:iam::111122223333:role/shop-cluster",
    version: "1.35",
    vpcConfig: { subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"], publicAccessCidrs: ["203.0.113.7/32"] },
    accessConfig: { authenticationMode: "API" },
    enabledClusterLogTypes: ["api", "scheduler"],
    encryptionConfig: { provider: { keyArn: key.arn }, resources: ["secrets"] },
  });
}
