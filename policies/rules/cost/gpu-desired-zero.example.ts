import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    // Two GPU nodes start with the next update and cost money until you stop them.
    scalingConfig: good ? { minSize: 0, desiredSize: 0, maxSize: 2 } : { minSize: 0, desiredSize: 2, maxSize: 2 },
  });
}
