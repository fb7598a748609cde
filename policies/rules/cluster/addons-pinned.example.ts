import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.Addon("vpc-cni", {
    clusterName: "shop",
    addonName: "vpc-cni",
    // EKS installs its current default version, so later measurements are not comparable.
    addonVersion: good ? "v1.22.4-eksbuild.3" : undefined,
  });
}
