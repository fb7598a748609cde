import * as autoscaling from "@pulumi/aws/autoscaling";
import * as ec2 from "@pulumi/aws/ec2";

export function bad() {
  new autoscaling.Group("nodes", {
    minSize: 0,
    maxSize: 2,
    vpcZoneIdentifiers: ["subnet-0a1b2c3d"],
    // Supports no instance type released after 2022, and new accounts cannot create one.
    launchConfiguration: "nodes",
  });
}

export function good() {
  const template = new ec2.LaunchTemplate("nodes", {
    instanceType: "m7i.large",
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 50, encrypted: "true" } }],
    metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  });
  new autoscaling.Group("nodes", {
    minSize: 0,
    maxSize: 2,
    vpcZoneIdentifiers: ["subnet-0a1b2c3d"],
    launchTemplate: { id: template.id, version: "$Latest" },
  });
}
