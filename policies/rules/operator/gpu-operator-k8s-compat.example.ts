import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    roleArn: "arn:aws:iam::111122223333:role/shop-cluster",
    version: "1.36",
    vpcConfig: { subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"], publicAccessCidrs: ["203.0.113.7/32"] },
    accessConfig: { authenticationMode: "API" },
    enabledClusterLogTypes: ["api", "scheduler"],
    encryptionConfig: {
      provider: { keyArn: "arn:aws:kms:ap-northeast-2:111122223333:key/0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d" },
      resources: ["secrets"],
    },
  });

  new Release("gpu-operator", {
    ...gpuOperator,
    // NVIDIA supports this chart on Kubernetes 1.32 to 1.35, not on 1.36.
    version: good ? "v26.3.3" : "v26.3.1",
    values: { driver: { enabled: false }, toolkit: { enabled: false } },
  });
}
