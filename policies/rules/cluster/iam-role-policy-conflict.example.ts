import * as iam from "@pulumi/aws/iam";

export function example(good: boolean) {
  const aws = "arn:aws:iam::aws:policy";
  const role = new iam.Role("nodes", {
    assumeRolePolicy: iam.assumeRolePolicyForPrincipal({ Service: "ec2.amazonaws.com" }),
    // Each update of the role removes the policy attached below, and the next update attaches it again.
    managedPolicyArns: good ? undefined : [`${aws}/AmazonEKSWorkerNodeMinimalPolicy`],
  });
  if (good) {
    new iam.RolePolicyAttachment("node", { role, policyArn: `${aws}/AmazonEKSWorkerNodeMinimalPolicy` });
  }
  new iam.RolePolicyAttachment("images", { role, policyArn: `${aws}/AmazonEC2ContainerRegistryPullOnly` });
}
