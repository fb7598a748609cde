import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    // The AMI has no NVIDIA driver: the node joins the cluster, but no pod gets its GPU.
    amiType: good ? "AL2023_x86_64_NVIDIA" : "AL2023_x86_64_STANDARD",
  });
}
