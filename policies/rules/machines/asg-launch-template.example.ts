import * as autoscaling from "@pulumi/aws/autoscaling";

export function example(good: boolean) {
  new autoscaling.Group("nodes", {
    minSize: 0,
    maxSize: 2,
    vpcZoneIdentifiers: ["subnet-0a1b2c3d"],
    // Does not support instance types released after 2022, and new accounts cannot create one.
    launchConfiguration: good ? undefined : "nodes",
    launchTemplate: good ? { name: "nodes", version: "$Latest" } : undefined,
  });
}
