import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    // The second CUDA image fills the disk, and the node evicts its pods.
    diskSize: good ? 100 : 30,
  });
}
