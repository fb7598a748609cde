import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    releaseVersion: "1.35.8-20260930",
    // The second CUDA image fills the disk, and the node evicts its pods.
    diskSize: good ? 100 : 30,
    labels: { "nvidia.com/gpu": "true" },
  });
}
