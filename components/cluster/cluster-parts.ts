import type * as pulumi from "@pulumi/pulumi";
import type { WithDefaults } from "../core/defaults";
import type { EksClusterArgs, eksClusterDefaults, EksClusterTransform, TokenCredentials } from "./eks-cluster-args";

/** What the parts of an {@link EksCluster} are made from. */
export interface ClusterParts {
  /** The component's name, with which those of its children begin. */
  readonly name: string;
  readonly settings: WithDefaults<Omit<EksClusterArgs, "transform">, typeof eksClusterDefaults>;
  readonly transform: EksClusterTransform;
  /** Whose tokens the kubeconfigs fetch. */
  readonly credentials: TokenCredentials;
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: pulumi.Output<string>;
  /** The principal that stands for the IAM policies of the account. */
  readonly accountRootArn: pulumi.Output<string>;
  readonly options: pulumi.CustomResourceOptions;
}
