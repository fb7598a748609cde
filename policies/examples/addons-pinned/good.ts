import * as eks from "@pulumi/aws/eks";

new eks.Addon("vpc-cni", {
  clusterName: "shop",
  addonName: "vpc-cni",
  addonVersion: "v1.22.4-eksbuild.3",
});
