import * as iam from "@pulumi/aws/iam";

const aws = "arn:aws:iam::aws:policy";
const role = new iam.Role("nodes", {
  assumeRolePolicy: iam.assumeRolePolicyForPrincipal({ Service: "ec2.amazonaws.com" }),
});
new iam.RolePolicyAttachment("node", { role, policyArn: `${aws}/AmazonEKSWorkerNodeMinimalPolicy` });
new iam.RolePolicyAttachment("images", { role, policyArn: `${aws}/AmazonEC2ContainerRegistryPullOnly` });
