import * as eks from "@pulumi/aws/eks";
import { LabLease } from "../../../components";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  const { nodeGroupName } = new eks.NodeGroup("gpu", {
    ...gpuNodes,
  });

  // Nodes that someone starts run until someone stops them.
  if (good) {
    new LabLease("lease", { clusterName: "shop", nodeGroups: { gpu: { nodeGroupName, maxSize: 2 } } });
  }
}
