import * as ec2 from "@pulumi/aws/ec2";

export function example(good: boolean) {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    metadataOptions: { httpTokens: "required" },
    // Model weights and secrets are stored unencrypted on the volume and in its snapshots.
    blockDeviceMappings: good
      ? [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }]
      : [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100 } }],
  });
}
