import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  const subnetIds = ["subnet-0a1b2c3d"];
  const keyArn = "arn:aws:kms:ap-northeast-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
  const cluster = new eks.Cluster("shop", {
    version: "1.35",
    roleArn: "arn:aws:iam::111122223333:role/cluster",
    vpcConfig: { subnetIds: [...subnetIds, "subnet-4e5f6071"], publicAccessCidrs: ["203.0.113.7/32"] },
    accessConfig: { authenticationMode: "API" },
    enabledClusterLogTypes: ["api", "scheduler"],
    encryptionConfig: { provider: { keyArn }, resources: ["secrets"] },
  });

  const nodes = { clusterName: cluster.name, nodeRoleArn: "arn:aws:iam::111122223333:role/nodes", subnetIds };
  const vision = new eks.NodeGroup("vision", {
    ...nodes,
    scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 3 },
    taints: [{ key: "team", value: "vision", effect: "NO_SCHEDULE" }],
  });
  // CoreDNS finds no node without a taint: it stays DEGRADED, and the update fails after 20 minutes.
  const addonNodes = good
    ? new eks.NodeGroup("system", { ...nodes, scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 3 } })
    : vision;

  const addon = { clusterName: cluster.name, addonName: "coredns", addonVersion: "v1.13.2-eksbuild.31" };
  new eks.Addon("coredns", addon, { dependsOn: addonNodes });
}
