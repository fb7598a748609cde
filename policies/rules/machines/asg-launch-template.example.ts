import * as autoscaling from "@pulumi/aws/autoscaling";
import * as ec2 from "@pulumi/aws/ec2";

export function example(good: boolean) {
  const size = { minSize: 0, maxSize: 2, vpcZoneIdentifiers: ["subnet-0a1b2c3d"] };

  if (good) {
    const template = new ec2.LaunchTemplate("nodes", {
      instanceType: "m7i.large",
      blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 50, encrypted: "true" } }],
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
    });
    new autoscaling.Group("nodes", { ...size, launchTemplate: { id: template.id, version: "$Latest" } });
  } else {
    // Supports no instance type released after 2022, and new accounts cannot create one.
    new autoscaling.Group("nodes", { ...size, launchConfiguration: "nodes" });
  }
}
