import * as ec2 from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  const template = new ec2.LaunchTemplate("workers", {
    metadataOptions: { httpTokens: "required" },
    blockDeviceMappings: good
      ? [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }]
      : [{ deviceName: "/dev/xvda", ebs: { encrypted: "true" } }],
  });

  new eks.NodeGroup("workers", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 3 },
    launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
    // The preview succeeds, but EKS rejects the group during the update.
    diskSize: good ? undefined : 100,
  });
}
