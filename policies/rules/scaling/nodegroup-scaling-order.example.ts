import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("workers", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    // More nodes than the maximum: EKS rejects the group after 15 to 20 minutes.
    scalingConfig: good ? { minSize: 0, desiredSize: 2, maxSize: 3 } : { minSize: 0, desiredSize: 3, maxSize: 2 },
  });
}
