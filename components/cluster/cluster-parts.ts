import type * as pulumi from "@pulumi/pulumi";
import type { ValueOf } from "../core/schema";
import type { eksClusterSchema, EksClusterTransform, TokenCredentials } from "./eks-cluster-schema";

/** What every part of an EksCluster needs to create its resources. */
export interface ClusterParts {
  /** The component's name: prefix of each resource's name. */
  readonly name: string;
  readonly settings: Omit<ValueOf<typeof eksClusterSchema>, "transform">;
  readonly transform: EksClusterTransform;
  /** The credentials with which kubeconfigs fetch their tokens. */
  readonly credentials: TokenCredentials;
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: pulumi.Output<string>;
  /** The principal that delegates to the IAM policies of the account. */
  readonly accountRootArn: pulumi.Output<string>;
  readonly options: pulumi.CustomResourceOptions;
}
