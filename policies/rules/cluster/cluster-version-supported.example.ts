import * as eks from "@pulumi/aws/eks";
import { cluster } from "../example-parts";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    ...cluster,
    // Standard support has ended: the cluster costs 0.60 USD per hour instead of 0.10.
    version: good ? "1.35" : "1.33",
  });
}
