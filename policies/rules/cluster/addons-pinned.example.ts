import * as eks from "@pulumi/aws/eks";

export function bad() {
  // EKS installs its current default version, so later measurements are not comparable.
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
