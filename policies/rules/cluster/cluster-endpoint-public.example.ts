import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    roleArn: "arn:aws:iam::111122223333:role/shop-cluster",
    version: "1.35",
    vpcConfig: {
      subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"],
      // Everyone on the internet can try credentials and exploits against the Kubernetes API.
      publicAccessCidrs: good ? ["203.0.113.7/32"] : ["0.0.0.0/0"],
    },
    accessConfig: { authenticationMode: "API" },
    enabledClusterLogTypes: ["api", "scheduler"],
    encryptionConfig: {
      provider: { keyArn: "arn:aws:kms:ap-northeast-2:111122223333:key/0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d" },
      resources: ["secrets"],
    },
  });
}
