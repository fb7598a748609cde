import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    labels: { "nvidia.com/gpu": "true" },
    // Without NO_SCHEDULE, pods without a GPU fill the node, and the training job stays Pending.
    taints: good
      ? [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }]
      : [{ key: "nvidia.com/gpu", value: "true", effect: "PREFER_NO_SCHEDULE" }],
  });
}
