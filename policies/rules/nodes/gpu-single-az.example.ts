import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    // Two nodes can be in two zones: NCCL is slower between them, and the traffic costs money.
    subnetIds: good ? ["subnet-0a1b2c3d"] : ["subnet-0a1b2c3d", "subnet-4e5f6a7b"],
  });
}
