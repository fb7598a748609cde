import {
  gpuNodeGroup,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
  scalingGroup,
  systemNodeGroup,
} from "../nodes/gpu-group";

/** Where a type of group keeps its sizes, and what AWS and the makers of the type say about them. */
export interface Sizes {
  readonly min: string;
  readonly desired: string;
  readonly max: string;
  /** The smallest maximum that AWS takes. */
  readonly smallestMax: 0 | 1;
  /** What is made of sizes that nobody states. */
  readonly unstated?: { readonly min: number; readonly desired: number; readonly max: number };
}

const ofComponent: Sizes = { min: "minSize", desired: "desiredSize", max: "maxSize", smallestMax: 1 };
const ofEks: Sizes = {
  min: "scalingConfig.minSize",
  desired: "scalingConfig.desiredSize",
  max: "scalingConfig.maxSize",
  smallestMax: 1,
};
const ofAutoScaling: Sizes = { min: "minSize", desired: "desiredCapacity", max: "maxSize", smallestMax: 0 };

/** @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/ */
const byPulumiEks = { min: 1, desired: 2, max: 2 };

/**
 * The maximum of an EKS node group is 1 or more; an Auto Scaling group may have 0. The components of @pulumi/eks are
 * listed for the offline plan, which never sees what they make; the engine shows them without inputs, but their groups.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
 */
export const sizesOf: Readonly<Record<string, Sizes>> = {
  [gpuNodeGroup]: { ...ofComponent, unstated: { min: 0, desired: 0, max: 2 } },
  [systemNodeGroup]: ofComponent,
  [nodeGroup]: ofEks,
  [managedNodeGroup]: { ...ofEks, unstated: byPulumiEks },
  [scalingGroup]: ofAutoScaling,
  [nodeGroupV2]: { ...ofAutoScaling, unstated: byPulumiEks },
};
