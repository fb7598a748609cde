import * as eks from "@pulumi/aws/eks";
import { workers } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("workers", {
    ...workers,
    // More nodes than the maximum: EKS rejects the group after 15 to 20 minutes.
    scalingConfig: good ? { minSize: 0, desiredSize: 2, maxSize: 3 } : { minSize: 0, desiredSize: 3, maxSize: 2 },
  });
}
