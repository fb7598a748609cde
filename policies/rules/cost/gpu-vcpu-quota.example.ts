import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    // With the third node, the group needs 12 vCPUs, but the quota is 8: the group ends in CREATE_FAILED.
    scalingConfig: good ? { minSize: 0, desiredSize: 0, maxSize: 2 } : { minSize: 0, desiredSize: 0, maxSize: 3 },
  });
}
