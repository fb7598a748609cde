import * as eks from "@pulumi/aws/eks";
import { cluster } from "../example-parts";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    ...cluster,
    vpcConfig: {
      subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"],
      // Everyone on the internet can try credentials and exploits against the Kubernetes API.
      publicAccessCidrs: good ? ["203.0.113.7/32"] : ["0.0.0.0/0"],
    },
  });
}
