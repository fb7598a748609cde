import * as iam from "@pulumi/aws/iam";
import * as pulumi from "@pulumi/pulumi";
import { partitionOf } from "../../core/lookups";
import { transformed, type Transform } from "../../core/transform";

/** Adjusts the role of nodes and its policies. */
export interface NodeRoleTransform {
  readonly role?: Transform<iam.RoleArgs>;
  /** Applies to each policy of the role: `<name>-role-worker`, `-registry`, `-cni` and `-ssm`. */
  readonly rolePolicyAttachment?: Transform<iam.RolePolicyAttachmentArgs>;
}

/** The name and tags of a resource in AWS: the name begins with `prefix`, and the tags contain the caller's tags. */
export interface Naming {
  readonly prefix: pulumi.Output<string>;
  readonly tags: Record<string, pulumi.Input<string>>;
}

/** Nodes join, pull images, assign addresses to pods, and accept Session Manager sessions. Pods have separate roles. */
const nodePolicies = {
  worker: "AmazonEKSWorkerNodePolicy",
  registry: "AmazonEC2ContainerRegistryReadOnly",
  cni: "AmazonEKS_CNI_Policy",
  ssm: "AmazonSSMManagedInstanceCore",
} as const;

/** Makes the role of nodes. Nodes cannot join before the policy attachments exist. */
export function makeNodeRole(
  parent: pulumi.ComponentResource,
  name: string,
  { prefix, tags }: Naming,
  transform: NodeRoleTransform | undefined,
  options: pulumi.CustomResourceOptions,
  description = "Nodes of an EKS managed node group",
  policies: Readonly<Record<string, string>> = nodePolicies,
) {
  const { partition, dnsSuffix } = partitionOf(parent);
  const assumeRolePolicy = pulumi.jsonStringify({
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: pulumi.interpolate`ec2.${dnsSuffix}` } },
    ],
  });
  const roleArgs = { namePrefix: prefix, description, assumeRolePolicy, forceDetachPolicies: true, tags };
  const role = new iam.Role(...transformed(transform?.role, `${name}-role`, roleArgs, options));
  const attachments = Object.entries(policies).map(([part, policy]) => {
    const args = { role: role.name, policyArn: pulumi.interpolate`arn:${partition}:iam::aws:policy/${policy}` };
    return new iam.RolePolicyAttachment(
      ...transformed(transform?.rolePolicyAttachment, `${name}-role-${part}`, args, options),
    );
  });
  return { role, attachments };
}
