import * as ec2 from "@pulumi/aws/ec2";

export function bad() {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    metadataOptions: { httpTokens: "required" },
    // Model weights and secrets are stored unencrypted on the volume and in its snapshots.
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100 } }],
  });
}

export function good() {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    metadataOptions: { httpTokens: "required" },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
  });
}
