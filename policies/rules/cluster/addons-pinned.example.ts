import * as eks from "@pulumi/aws/eks";

export function bad() {
  // EKS takes its default version of the day, and a measurement of last month no longer compares.
  new eks.Addon("vpc-cni", {
    clusterName: "shop",
    addonName: "vpc-cni",
  });
}

export function good() {
  new eks.Addon("vpc-cni", {
    clusterName: "shop",
    addonName: "vpc-cni",
    addonVersion: "v1.22.4-eksbuild.3",
  });
}
