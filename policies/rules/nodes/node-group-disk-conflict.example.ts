import * as ec2 from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";
import { workers } from "../example-parts";

export function example(good: boolean) {
  const template = new ec2.LaunchTemplate("workers", {
    metadataOptions: { httpTokens: "required" },
    blockDeviceMappings: good
      ? [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }]
      : [{ deviceName: "/dev/xvda", ebs: { encrypted: "true" } }],
  });

  new eks.NodeGroup("workers", {
    ...workers,
    launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
    // The preview succeeds, but EKS rejects the group during the update.
    diskSize: good ? undefined : 100,
  });
}
