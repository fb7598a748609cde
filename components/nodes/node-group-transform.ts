import type * as autoscaling from "@pulumi/aws/autoscaling";
import type * as ec2 from "@pulumi/aws/ec2";
import type * as eks from "@pulumi/aws/eks";
import type { NodeRoleTransform } from "../cluster/identity/node-role";
import { transformOf, type Transform } from "../core/transform";

/** Adjusts the resources that every node group is made of. */
export interface NodeGroupTransform extends NodeRoleTransform {
  readonly launchTemplate?: Transform<ec2.LaunchTemplateArgs>;
  readonly nodeGroup?: Transform<eks.NodeGroupArgs>;
  /** Applies to each tag of the Auto Scaling group. */
  readonly autoscalingTag?: Transform<autoscaling.TagArgs>;
}

/** A GPU node group is made of the same resources. */
export interface GpuNodeGroupTransform extends NodeGroupTransform {}

export const nodeGroupTransform = transformOf<NodeGroupTransform>({
  ...{ role: true, rolePolicyAttachment: true, launchTemplate: true, nodeGroup: true, autoscalingTag: true },
});
