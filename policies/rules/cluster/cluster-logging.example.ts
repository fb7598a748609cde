import * as eks from "@pulumi/aws/eks";
import { cluster } from "../example-parts";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    ...cluster,
    // No log shows why the scheduler left a GPU pod Pending, and its events expire after an hour.
    enabledClusterLogTypes: good ? ["api", "audit", "authenticator", "scheduler"] : ["api", "audit", "authenticator"],
  });
}
