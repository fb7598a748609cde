import * as ec2 from "@pulumi/aws/ec2";

export function example(good: boolean) {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
    // A forged request from any program on the node gets the credentials of the node role.
    metadataOptions: good
      ? { httpTokens: "required", httpPutResponseHopLimit: 1 }
      : { httpTokens: "optional", httpPutResponseHopLimit: 1 },
  });
}
