import * as pulumi from "@pulumi/pulumi";
import { join } from "../core/checks";
import { withDefaults } from "../core/defaults";
import { refuse, type Problem } from "../core/problems";
import { token } from "../core/tokens";
import { transformProblems } from "../core/transform";
import { amiReleaseFor, amiReleaseProblems } from "./machine/ami-releases";
import { instanceType, instanceTypeProblems, type InstanceType } from "./machine/instance-types";
import { labelProblems, type Labels } from "./scheduling/labels";
import { makeNodeGroup, type NodeGroupWiring } from "./node-group";
import { argumentsProblems, diskProblems, maxPodsProblems, wiringProblems } from "./node-group-rules";
import { nodeGroupTransformKeys, type NodeGroupTransform } from "./node-group-transform";
import { ownerProblems, sizeProblems, type ScalingOwner } from "./scaling";
import { nodeTools, toolsProblems, userData } from "./machine/user-data";

/** What can be chosen of the system nodes without knowing cluster or network. */
export interface SystemNodeGroupSettings {
  /** EC2 type without a GPU. @default "t3.medium" - two of them carry every add-on and controller of the environment */
  readonly instanceType?: string;
  /** Nodes, 1 to 450. @default 2 - CoreDNS keeps an answer while a node is replaced */
  readonly desiredSize?: number;
  /** Fewest nodes, 0 to 450. @default 1 - the least on which add-ons come up */
  readonly minSize?: number;
  /** Most nodes, 1 to 450. @default 4 - room for a monitoring stack beside the add-ons */
  readonly maxSize?: number;
  /**
   * Who sets the number of nodes after creation.
   *
   * @default "pulumi" - nobody else scales system nodes unless the Cluster Autoscaler is installed; ignoring changes
   * would leave `desiredSize` without effect for ever
   */
  readonly owner?: ScalingOwner;
  /** Root volume in GiB, 20 to 16384. @default 30 - the AMI takes 20, images of add-ons a few more */
  readonly diskSizeGiB?: number;
  /** AMI release such as `1.35.8-20260930`. @default the release pinned for the Kubernetes version - it never floats */
  readonly releaseVersion?: string;
  /** Labels beside `tier=primary`. @default {} - that one is what controllers select */
  readonly labels?: Labels;
  /**
   * Pods a node accepts: 1 to 110, or to 250 on types of 30 vCPUs and more. More than the interfaces have addresses
   * for (17 on a t3.medium) need the VPC CNI's prefix delegation.
   *
   * @default 50 - a t3.medium has the memory for that many small pods
   */
  readonly maxPods?: number;
  /**
   * Packages of Amazon Linux 2023 to install at boot.
   *
   * @default network, disk and process tools - to look around on a node
   */
  readonly tools?: readonly string[];
}

export interface SystemNodeGroupArgs extends SystemNodeGroupSettings, NodeGroupWiring {
  /** Private subnets, best one in each zone. */
  readonly subnetIds: pulumi.Input<string>[];
  /** Adjusts an underlying resource. */
  readonly transform?: NodeGroupTransform;
}

export const systemNodeGroupDefaults = {
  instanceType: "t3.medium",
  desiredSize: 2,
  minSize: 1,
  maxSize: 4,
  owner: "pulumi",
  diskSizeGiB: 30,
  labels: {},
  maxPods: 50,
  tools: nodeTools,
} as const;

/** The label of every system node. */
export const systemLabels: Labels = { tier: "primary" };

/** What checked settings of system nodes come to on a Kubernetes version: the pinned release, and every label. */
export function resolvedSystemNodes(
  { releaseVersion, labels }: Pick<SystemNodeGroupSettings, "releaseVersion" | "labels">,
  kubernetesVersion: string,
) {
  return {
    releaseVersion: amiReleaseFor(releaseVersion, kubernetesVersion) as string,
    labels: { ...systemLabels, ...labels },
  };
}

/** Every problem of the settings; `at` prefixes their names, e.g. `systemNodes`. */
export function systemNodeGroupProblems(
  args: SystemNodeGroupSettings & { readonly kubernetesVersion?: string },
  at = "",
): Problem[] {
  const wrong = argumentsProblems(args, at);
  if (wrong.length > 0) return wrong;
  const given = args as Readonly<Record<string, unknown>>;
  const { instanceType: type = systemNodeGroupDefaults.instanceType } = given;
  const found = typeof type === "string" ? instanceType(type) : undefined;
  const least = { desired: 1, why: "CoreDNS and the other add-ons need a node, or creating them fails." };
  return [
    ...instanceTypeProblems(type, at, "system"),
    ...sizeProblems(given, systemNodeGroupDefaults, at, least),
    ...ownerProblems(given["owner"], at),
    ...diskProblems(given["diskSizeGiB"], at, 20, "The AMI's own snapshot has 20 GiB, and a volume cannot be smaller."),
    ...amiReleaseProblems(given["releaseVersion"], at, {
      kubernetesVersion: given["kubernetesVersion"],
      amiType: found?.amiType ?? "AL2023_x86_64_STANDARD",
    }),
    ...(given["labels"] === undefined ? [] : labelProblems(given["labels"], join(at, "labels"), systemLabels)),
    ...maxPodsProblems(given["maxPods"], at, found),
    ...(given["tools"] === undefined ? [] : toolsProblems(given["tools"], join(at, "tools"))),
    ...transformProblems(join(at, "transform"), given["transform"], nodeGroupTransformKeys),
  ];
}

/**
 * Nodes for what the cluster itself needs: CoreDNS, metrics, controllers. They carry no taint, so anything that
 * asks for no GPU runs here.
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
    refuse(`SystemNodeGroup "${name}"`, [...wiringProblems(args, "subnetIds"), ...systemNodeGroupProblems(args)]);
    const { transform, ...given } = args;
    const settings = withDefaults(given, systemNodeGroupDefaults);
    const type = instanceType(settings.instanceType) as InstanceType;
    const resolved = { ...settings, ...resolvedSystemNodes(settings, settings.kubernetesVersion) };
    super(token("SystemNodeGroup"), name, resolved, opts);

    const { role, launchTemplate, nodeGroup, autoscalingGroupName } = makeNodeGroup(
      this,
      name,
      {
        ...resolved,
        amiType: type.amiType,
        capacityType: "ON_DEMAND",
        taints: [],
        userData: userData(resolved),
        // New nodes first: the pods of a node that goes have somewhere to go.
        updateConfig: { maxUnavailable: 1, updateStrategy: "DEFAULT" },
        transform,
      },
      opts,
    );
    this.nodeGroupName = nodeGroup.nodeGroupName;
    this.autoscalingGroupName = autoscalingGroupName;
    this.roleArn = role.arn;
    this.releaseVersion = nodeGroup.releaseVersion;
    this.launchTemplateId = launchTemplate.id;
    this.instanceType = type;
    this.registerOutputs({
      nodeGroupName: this.nodeGroupName,
      autoscalingGroupName: this.autoscalingGroupName,
      roleArn: this.roleArn,
      releaseVersion: this.releaseVersion,
      launchTemplateId: this.launchTemplateId,
    });
  }
}
