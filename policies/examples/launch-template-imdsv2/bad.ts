import * as ec2 from "@pulumi/aws/ec2";

new ec2.LaunchTemplate("gpu", {
  instanceType: "g5.xlarge",
  blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
  // Any request that a program is tricked into sending gets the credentials of the node role.
  metadataOptions: { httpTokens: "optional", httpPutResponseHopLimit: 1 },
});
