// Self-managed GPU nodes: an Auto Scaling group at rest, whose launch template names the machines.
// https://docs.aws.amazon.com/eks/latest/userguide/launch-workers.html
import * as autoscaling from "@pulumi/aws/autoscaling";
import * as ec2 from "@pulumi/aws/ec2";
import * as iam from "@pulumi/aws/iam";

const role = new iam.Role("nodes", {
  assumeRolePolicy: iam.assumeRolePolicyForPrincipal({ Service: "ec2.amazonaws.com" }),
});
for (const policy of ["AmazonEKSWorkerNodeMinimalPolicy", "AmazonEC2ContainerRegistryPullOnly"]) {
  new iam.RolePolicyAttachment(policy, { role, policyArn: `arn:aws:iam::aws:policy/${policy}` });
}
const profile = new iam.InstanceProfile("nodes", { role });

const template = new ec2.LaunchTemplate("gpu", {
  instanceType: "g5.xlarge",
  imageId: "ami-0123456789abcdef0",
  iamInstanceProfile: { arn: profile.arn },
  blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, volumeType: "gp3", encrypted: "true" } }],
  metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
});
new autoscaling.Group("gpu", {
  minSize: 0,
  desiredCapacity: 0,
  maxSize: 2,
  vpcZoneIdentifiers: ["subnet-0a1b2c3d"],
  launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
  tags: [{ key: "kubernetes.io/cluster/shop", value: "owned", propagateAtLaunch: true }],
});
