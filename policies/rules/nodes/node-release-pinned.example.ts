import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    // Without a release, the next group gets a different NVIDIA driver.
    releaseVersion: good ? "1.35.8-20260930" : undefined,
  });
}
