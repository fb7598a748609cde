import * as pulumi from "@pulumi/pulumi";
import { completeArgs, type GivenOf } from "../core/schema";
import { token } from "../core/tokens";
import { instanceType, type InstanceType } from "./machine/instance-types";
import { userData } from "./machine/user-data";
import { makeNodeGroup, type NodeGroupSpec } from "./node-group";
import { completeSystemNodes, systemNodeGroup, type CompleteSystemNodeGroupArgs } from "./system-node-group-schema";

export interface SystemNodeGroupArgs extends Readonly<GivenOf<typeof systemNodeGroup>> {}

/**
 * Nodes for what the cluster itself needs: CoreDNS, metrics, controllers. They have no taint, so everything
 * that requests no GPU runs here.
 *
 * @cost At rest and in use two t3.medium with 30 GiB of gp3 each: 0.112 USD an hour in ap-northeast-2 (2025-04).
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class SystemNodeGroup extends pulumi.ComponentResource {
  readonly nodeGroupName: pulumi.Output<string>;
  /** The Auto Scaling group that EKS made. */
  readonly autoscalingGroupName: pulumi.Output<string>;
  readonly roleArn: pulumi.Output<string>;
  /** The AMI release that EKS reports for the group. */
  readonly releaseVersion: pulumi.Output<string>;
  readonly launchTemplateId: pulumi.Output<string>;
  /** The facts of its instance type. */
  readonly instanceType: InstanceType;

  constructor(name: string, args: SystemNodeGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform, ...settings } = resolve(name, args);
    super(token("SystemNodeGroup"), name, settings, opts);
    const type = instanceType(settings.instanceType) as InstanceType;

    const spec: NodeGroupSpec = {
      ...settings,
      amiType: type.amiType,
      capacityType: "ON_DEMAND",
      taints: [],
      userData: userData(settings),
      // New nodes first, so that the pods of a removed node can move.
      updateConfig: { maxUnavailable: 1, updateStrategy: "DEFAULT" },
      transform,
    };
    const parts = makeNodeGroup(this, name, spec, opts);
    this.nodeGroupName = parts.nodeGroup.nodeGroupName;
    this.autoscalingGroupName = parts.autoscalingGroupName;
    this.roleArn = parts.role.arn;
    this.releaseVersion = parts.nodeGroup.releaseVersion;
    this.launchTemplateId = parts.launchTemplate.id;
    this.instanceType = type;
    const { nodeGroupName, autoscalingGroupName, roleArn, releaseVersion, launchTemplateId } = this;
    this.registerOutputs({ nodeGroupName, autoscalingGroupName, roleArn, releaseVersion, launchTemplateId });
  }
}

/** The arguments with every choice made. */
function resolve(name: string, args: SystemNodeGroupArgs) {
  return completeArgs(`SystemNodeGroup "${name}"`, systemNodeGroup, args, (given): CompleteSystemNodeGroupArgs =>
    completeSystemNodes(given, given.kubernetesVersion),
  );
}
