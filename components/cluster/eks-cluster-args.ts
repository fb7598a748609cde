import type { cloudwatch, eks, iam, kms } from "@pulumi/aws";
import type { ClusterArgs } from "@pulumi/eks";
import type { ProviderArgs } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Tags } from "../core/tokens";
import type { Transform } from "../core/transform";
import { kubernetesVersion } from "../core/versions";

/** Adjusts each underlying resource before it is made. */
export interface EksClusterTransform {
  readonly cluster?: Transform<ClusterArgs>;
  readonly role?: Transform<iam.RoleArgs>;
  readonly rolePolicyAttachment?: Transform<iam.RolePolicyAttachmentArgs>;
  readonly secretsKey?: Transform<kms.KeyArgs>;
  readonly secretsKeyAlias?: Transform<kms.AliasArgs>;
  readonly secretsKeyPolicy?: Transform<iam.RolePolicyArgs>;
  readonly logGroup?: Transform<cloudwatch.LogGroupArgs>;
  readonly accessEntry?: Transform<eks.AccessEntryArgs>;
  readonly accessPolicy?: Transform<eks.AccessPolicyAssociationArgs>;
  readonly kubernetesProvider?: Transform<ProviderArgs>;
}

/**
 * One of the logs that the control plane can write.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
 */
export type ControlPlaneLog = (typeof controlPlaneLogTypes)[number];

/** Whose tokens a kubeconfig fetches. */
export interface TokenCredentials {
  /** Profile of the AWS CLI. @default none - the ambient credentials, as the AWS CLI finds them */
  readonly profile?: string;
  /** ARN of an IAM role to assume. @default none - the credentials as they are */
  readonly roleArn?: string;
}

export interface EksClusterArgs {
  /**
   * Physical name of the cluster, and beginning of every name that derives from it: 1 to 26 letters, digits, hyphens
   * and underscores. A change replaces the cluster.
   */
  readonly clusterName: string;
  /**
   * Kubernetes minor of the control plane, a text. It can be raised one minor at a time, and never lowered.
   *
   * @default "1.35" - what the AMI, add-on and chart versions are pinned for
   */
  readonly kubernetesVersion?: string;
  readonly vpcId: pulumi.Input<string>;
  /** Private subnets for the control plane's network interfaces: two or more, in two zones. */
  readonly subnetIds: pulumi.Input<string>[];
  /**
   * IPv4 blocks that may reach the Kubernetes API from the internet, 1 to 40. Whoever runs `pulumi up` must come from
   * one of them. Nodes and pods use the private endpoint.
   */
  readonly publicAccessCidrs: readonly string[];
  /**
   * ARNs of IAM roles and users that become cluster admins; `[]` for none. Leave out the principal that creates the
   * cluster: EKS makes it an admin by itself, and refuses a second entry for it (ResourceInUseException, status 409).
   */
  readonly admins: readonly string[];
  /**
   * Control-plane logs that go to CloudWatch: any of api, audit, authenticator, controllerManager, scheduler.
   *
   * @default ["api", "audit", "scheduler"] - without the audit log nobody can tell who changed an object
   */
  readonly controlPlaneLogs?: readonly ControlPlaneLog[];
  /**
   * Days that CloudWatch keeps those logs; one of the periods it knows: 1, 3, 5, 7, 14, 30, 60, 90 and on to 3653.
   *
   * @default 7 - a lab is looked at in the same week
   */
  readonly logRetentionDays?: number;
  /**
   * Key that encrypts Kubernetes Secrets: "own" makes one, an ARN uses an existing one, "none" leaves it to the key
   * that EKS owns. A key can be added later, but never taken away or exchanged: that replaces the cluster.
   *
   * @default "own" - a key whose use CloudTrail shows, and that can be disabled
   */
  readonly secretsKey?: "own" | "none" | `arn:${string}`;
  /**
   * Whether EKS refuses to delete the cluster until this is false again.
   *
   * @default false - a lab must be easy to destroy
   */
  readonly deletionProtection?: boolean;
  /**
   * Credentials with which kubeconfigs fetch their tokens: a role to assume, in every kubeconfig, and a profile of the
   * AWS CLI, in the one of the Kubernetes provider. State them where a provider of its own makes the cluster.
   *
   * @default the profile that the AWS provider has - of the environment (AWS_PROFILE), or else of aws:profile
   */
  readonly credentials?: TokenCredentials;
  /**
   * Tags of every resource that takes tags.
   *
   * @default {} - only the Name
   */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the underlying resources.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: EksClusterTransform;
}

export const controlPlaneLogTypes = ["api", "audit", "authenticator", "controllerManager", "scheduler"] as const;

export const eksClusterDefaults = {
  kubernetesVersion,
  controlPlaneLogs: ["api", "audit", "scheduler"],
  logRetentionDays: 7,
  secretsKey: "own",
  deletionProtection: false,
  tags: {},
} as const;
