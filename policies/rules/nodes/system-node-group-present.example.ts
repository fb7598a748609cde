import * as eks from "@pulumi/aws/eks";
import { cluster, workers } from "../example-parts";

export function example(good: boolean) {
  const shop = new eks.Cluster("shop", {
    ...cluster,
  });
  const vision = new eks.NodeGroup("vision", {
    ...workers,
    clusterName: shop.name,
    taints: [{ key: "team", value: "vision", effect: "NO_SCHEDULE" }],
  });
  // CoreDNS finds no node without a taint: it stays DEGRADED, and the update fails after 20 minutes.
  const addonNodes = good
    ? new eks.NodeGroup("system", {
        ...workers,
        clusterName: shop.name,
      })
    : vision;

  const addon = { clusterName: shop.name, addonName: "coredns", addonVersion: "v1.13.2-eksbuild.31" };
  new eks.Addon("coredns", addon, { dependsOn: addonNodes });
}
