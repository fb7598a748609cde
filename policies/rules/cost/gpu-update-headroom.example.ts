import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    // An AMI update starts two nodes beyond maxSize, exceeds the quota of 8 vCPUs, and fails.
    updateConfig: good
      ? { maxUnavailable: 1, updateStrategy: "MINIMAL" }
      : { maxUnavailable: 1, updateStrategy: "DEFAULT" },
  });
}
