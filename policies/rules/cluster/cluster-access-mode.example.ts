import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    roleArn: "arn:aws:iam::111122223333:role/shop-cluster",
    version: "1.35",
    vpcConfig: { subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"], publicAccessCidrs: ["203.0.113.7/32"] },
    // One mistake in the aws-auth ConfigMap locks out all users, and no preview shows its changes.
    accessConfig: good ? { authenticationMode: "API" } : { authenticationMode: "API_AND_CONFIG_MAP" },
    enabledClusterLogTypes: ["api", "scheduler"],
    encryptionConfig: {
      provider: { keyArn: "arn:aws:kms:ap-northeast-2:111122223333:key/0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d" },
      resources: ["secrets"],
    },
  });
}
