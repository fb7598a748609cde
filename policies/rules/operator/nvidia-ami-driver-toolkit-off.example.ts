import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    instanceTypes: ["g5.xlarge"],
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  });

  new Release("gpu-operator", {
    chart: "gpu-operator",
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    namespace: "gpu-operator",
    version: "v26.3.1",
    timeout: 900,
    // This toolkit overwrites the containerd configuration of the AMI and breaks the node.
    values: good
      ? { driver: { enabled: false }, toolkit: { enabled: false } }
      : { driver: { enabled: false }, toolkit: { enabled: true } },
  });
}
