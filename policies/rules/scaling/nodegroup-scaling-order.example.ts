import * as eks from "@pulumi/aws/eks";

export function bad() {
  new eks.NodeGroup("workers", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    // More nodes than the maximum: EKS rejects the group after 15 to 20 minutes.
    scalingConfig: { minSize: 0, desiredSize: 3, maxSize: 2 },
  });
}

export function good() {
  new eks.NodeGroup("workers", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    scalingConfig: { minSize: 0, desiredSize: 2, maxSize: 3 },
  });
}
