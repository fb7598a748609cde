import * as ec2 from "@pulumi/aws/ec2";

export function bad() {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
    // A forged request from any program on the node gets the credentials of the node role.
    metadataOptions: { httpTokens: "optional", httpPutResponseHopLimit: 1 },
  });
}

export function good() {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
    metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  });
}
