import * as ec2 from "@pulumi/aws/ec2";

export function example(good: boolean) {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    metadataOptions: { httpTokens: "required" },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
    networkInterfaces: [
      {
        deviceIndex: 0,
        securityGroups: ["sg-0a1b2c3d"],
        // Only a security group separates a NodePort from the internet.
        associatePublicIpAddress: good ? "false" : "true",
      },
    ],
  });
}
