import * as eks from "@pulumi/aws/eks";
import { cluster } from "../example-parts";

export function example(good: boolean) {
  const shop = new eks.Cluster("shop", {
    ...cluster,
  });
  const nodes = {
    clusterName: shop.name,
    nodeRoleArn: "arn:aws:iam::111122223333:role/nodes",
    subnetIds: ["subnet-0a1b2c3d"],
  };
  const vision = new eks.NodeGroup("vision", {
    ...nodes,
    scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 3 },
    taints: [{ key: "team", value: "vision", effect: "NO_SCHEDULE" }],
  });
  // CoreDNS finds no node without a taint: it stays DEGRADED, and the update fails after 20 minutes.
  const addonNodes = good
    ? new eks.NodeGroup("system", { ...nodes, scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 3 } })
    : vision;

  const addon = { clusterName: shop.name, addonName: "coredns", addonVersion: "v1.13.2-eksbuild.31" };
  new eks.Addon("coredns", addon, { dependsOn: addonNodes });
}
