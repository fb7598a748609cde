import * as autoscaling from "@pulumi/aws/autoscaling";

new autoscaling.Group("nodes", {
  minSize: 0,
  maxSize: 2,
  vpcZoneIdentifiers: ["subnet-0a1b2c3d"],
  // Takes no instance type newer than those of 2022, and a new account cannot make one.
  launchConfiguration: "nodes",
});
