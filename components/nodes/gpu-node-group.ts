import * as pulumi from "@pulumi/pulumi";
import * as autoscaling from "@pulumi/aws/autoscaling";
import type * as ec2 from "@pulumi/aws/ec2";
import { childOptions } from "../core/options";
import { completeArgs, type GivenOf } from "../core/schema";
import { token } from "../core/tokens";
import { transformed } from "../core/transform";
import { completeGpuNodes, gpuNodeGroup, type CompleteGpuNodeGroupArgs } from "./gpu-node-group-schema";
import { efaInterfaces } from "./machine/efa-interfaces";
import { instanceType, type InstanceType } from "./machine/instance-types";
import { userData } from "./machine/user-data";
import { makeNodeGroup } from "./node-group";
import type { GpuNodeGroupTransform } from "./node-group-transform";
import { nodeRepairConfig } from "./node-repair";
import { autoscalerHints, ephemeralStorageGiB, type Hint } from "./scheduling/autoscaler-hints";
import type { Taint } from "./scheduling/taints";

export interface GpuNodeGroupArgs extends Readonly<GivenOf<typeof gpuNodeGroup>> {}

/**
 * Nodes with NVIDIA GPUs that only pods tolerating `nvidia.com/gpu` use, none of them running until you scale
 * the group or, with the Cluster Autoscaler, a pod requests a GPU.
 *
 * @cost At rest nothing. In use, each node: its instance, 1.237 USD an hour for a g5.xlarge in ap-northeast-2
 * (2025-04), and its volume, 0.0125 USD an hour for 100 GiB of gp3.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class GpuNodeGroup extends pulumi.ComponentResource {
  readonly nodeGroupName: pulumi.Output<string>;
  /** The Auto Scaling group that EKS made. */
  readonly autoscalingGroupName: pulumi.Output<string>;
  readonly roleArn: pulumi.Output<string>;
  /** The AMI release that EKS reports for the group. */
  readonly releaseVersion: pulumi.Output<string>;
  readonly launchTemplateId: pulumi.Output<string>;
  /** The facts of its instance type. */
  readonly gpu: InstanceType;
  /** Every taint of its nodes: what runs on each of them must tolerate all. */
  readonly taints: readonly Taint[];

  constructor(name: string, args: GpuNodeGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform, ...settings } = resolve(name, args);
    super(token("GpuNodeGroup"), name, settings, opts);
    this.gpu = instanceType(settings.instanceType) as InstanceType;
    this.taints = settings.taints;

    const parts = makeGpuNodes(this, name, settings, transform, opts);
    makeHints(name, hintsOf(this.gpu, settings), parts.autoscalingGroupName, transform, {
      ...childOptions(this, opts),
      deletedWith: parts.nodeGroup,
    });

    this.nodeGroupName = parts.nodeGroup.nodeGroupName;
    this.autoscalingGroupName = parts.autoscalingGroupName;
    this.roleArn = parts.role.arn;
    this.releaseVersion = parts.nodeGroup.releaseVersion;
    this.launchTemplateId = parts.launchTemplate.id;
    const { nodeGroupName, autoscalingGroupName, roleArn, releaseVersion, launchTemplateId } = this;
    this.registerOutputs({ nodeGroupName, autoscalingGroupName, roleArn, releaseVersion, launchTemplateId });
  }
}

type Settings = Omit<ReturnType<typeof resolve>, "transform">;

/** The arguments with every choice made. They reach the engine, and policies read them. */
function resolve(name: string, args: GpuNodeGroupArgs) {
  return completeArgs(`GpuNodeGroup "${name}"`, gpuNodeGroup, args, (given): CompleteGpuNodeGroupArgs =>
    completeGpuNodes(given, given.kubernetesVersion),
  );
}

function makeGpuNodes(
  parent: pulumi.ComponentResource,
  name: string,
  settings: Settings,
  transform: GpuNodeGroupTransform | undefined,
  opts: pulumi.ComponentResourceOptions | undefined,
) {
  const type = instanceType(settings.instanceType) as InstanceType;
  const spec = {
    ...settings,
    subnetIds: [settings.subnetId],
    amiType: type.amiType,
    userData: userData(settings),
    // The default strategy starts new nodes first, which needs GPU quota for more than twice the nodes.
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
    nodeRepairConfig: nodeRepairConfig(settings.repair),
    launchTemplate: launchTemplateParts(type, settings),
    transform,
  };
  return makeNodeGroup(parent, name, spec, opts);
}

/** What the launch template of GPU nodes has in addition to that of every node. */
function launchTemplateParts(type: InstanceType, settings: Settings): Partial<ec2.LaunchTemplateArgs> {
  const { capacityReservation: reservation, placementGroup } = settings;
  return {
    ...(settings.efa && { networkInterfaces: efaInterfaces(type, settings.securityGroupIds) }),
    ...(placementGroup !== undefined && { placement: { groupName: placementGroup } }),
    ...(reservation && {
      capacityReservationSpecification: {
        capacityReservationTarget: {
          capacityReservationId: reservation.id,
          capacityReservationResourceGroupArn: reservation.resourceGroupArn,
        },
      },
    }),
    // EKS requires all three of a Capacity Block in the template: market, reservation and type.
    ...(settings.capacityType === "CAPACITY_BLOCK" && {
      instanceMarketOptions: { marketType: "capacity-block" },
      instanceType: type.name,
    }),
  };
}

function hintsOf(type: InstanceType, settings: Settings): Hint[] {
  return autoscalerHints({
    labels: settings.labels,
    taints: settings.taints,
    gpus: type.gpus,
    ephemeralStorageGiB: ephemeralStorageGiB(type, settings.diskSizeGiB, settings.localStorage),
  });
}

/** EKS does not copy a node group's tags to its Auto Scaling group, where the Cluster Autoscaler looks. */
function makeHints(
  name: string,
  hints: readonly Hint[],
  autoscalingGroupName: pulumi.Output<string>,
  transform: GpuNodeGroupTransform | undefined,
  options: pulumi.CustomResourceOptions,
): void {
  for (const hint of hints) {
    const tag = { autoscalingGroupName, tag: { key: hint.key, value: hint.value, propagateAtLaunch: false } };
    new autoscaling.Tag(...transformed(transform?.autoscalingTag, `${name}-${hint.name}`, tag, options));
  }
}
