import * as eks from "@pulumi/aws/eks";
import { cluster } from "../example-parts";

export function example(good: boolean) {
  new eks.Cluster("shop", {
    ...cluster,
    // One mistake in the aws-auth ConfigMap locks out all users, and no preview shows its changes.
    accessConfig: good ? { authenticationMode: "API" } : { authenticationMode: "API_AND_CONFIG_MAP" },
  });
}
