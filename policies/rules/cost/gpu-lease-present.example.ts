import * as eks from "@pulumi/aws/eks";
import { LabLease } from "../../../components";

export function example(good: boolean) {
  const { nodeGroupName } = new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    instanceTypes: ["g5.xlarge"],
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  });

  // Nodes that someone starts run until someone stops them.
  if (good) {
    new LabLease("lease", { clusterName: "shop", nodeGroups: { gpu: { nodeGroupName, maxSize: 2 } } });
  }
}
