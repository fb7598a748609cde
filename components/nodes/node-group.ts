import * as pulumi from "@pulumi/pulumi";
import type { types } from "@pulumi/aws";
import * as autoscaling from "@pulumi/aws/autoscaling";
import * as ec2 from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";
import type * as iam from "@pulumi/aws/iam";
import { makeNodeRole, type Naming } from "../cluster/identity/node-role";
import { childOptions } from "../core/options";
import type { section, ValueOf } from "../core/schema";
import { transformed } from "../core/transform";
import type { AmiType } from "./machine/instance-types";
import { longestPhysicalName, type wiring } from "./node-group-schema";
import type { NodeGroupTransform } from "./node-group-transform";
import { ignoredChanges, type ScalingOwner, type Sizes } from "./scaling";
import type { Labels } from "./scheduling/labels";
import type { Taint } from "./scheduling/taints";

/** What connects a node group with its cluster and its network. */
type NodeGroupWiring = ValueOf<ReturnType<typeof section<typeof wiring>>>;

/** The complete settings of a node group, without defaults of EKS. */
export interface NodeGroupSpec extends NodeGroupWiring, Sizes {
  readonly subnetIds: pulumi.Input<string>[];
  readonly instanceType: string;
  readonly amiType: AmiType;
  readonly releaseVersion: string;
  readonly capacityType: "ON_DEMAND" | "SPOT" | "CAPACITY_BLOCK";
  readonly owner: ScalingOwner;
  readonly diskSizeGiB: number;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly userData: string | undefined;
  readonly updateConfig: types.input.eks.NodeGroupUpdateConfig;
  readonly nodeRepairConfig?: types.input.eks.NodeGroupNodeRepairConfig | undefined;
  /** Values for the launch template that only some groups have. */
  readonly launchTemplate?: Partial<ec2.LaunchTemplateArgs>;
  readonly transform?: NodeGroupTransform | undefined;
}

/** Creates role, launch template and node group as children of a component. */
export function makeNodeGroup(
  parent: pulumi.ComponentResource,
  name: string,
  spec: NodeGroupSpec,
  opts: pulumi.ComponentResourceOptions | undefined,
) {
  const options = childOptions(parent, opts);
  const base = pulumi.output(spec.physicalName ?? spec.clusterName).apply((text) => physicalBase(text, name, spec));
  const prefix = pulumi.interpolate`${base}-`;
  const tags = { Name: base, ...spec.tags };

  const { role, attachments } = makeNodeRole(parent, name, { prefix, tags }, spec.transform, options);
  const { [changingTag]: end } = tags as Naming["tags"];
  const launchTemplate = makeLaunchTemplate(name, { prefix, tags: instanceTags(tags) }, spec, options);
  const nodeGroup = new eks.NodeGroup(
    ...transformed(
      spec.transform?.nodeGroup,
      name,
      nodeGroupArgs(spec, { role, launchTemplate, prefix, tags }),
      pulumi.mergeOptions(options, {
        dependsOn: attachments,
        ignoreChanges: ignoredChanges(spec.owner),
        // Long enough for nodes that are drained and replaced one by one; a group that cannot start fails sooner.
        customTimeouts: { create: "30m", update: "90m", delete: "30m" },
      }),
    ),
  );
  // EKS makes the Auto Scaling group.
  const autoscalingGroupName = nodeGroup.resources.apply((made) => made[0]?.autoscalingGroups?.[0]?.name ?? "");
  if (end !== undefined) {
    const tag = { autoscalingGroupName, tag: { key: changingTag, value: end, propagateAtLaunch: true } };
    const tagOptions = { ...options, deletedWith: nodeGroup };
    new autoscaling.Tag(...transformed(spec.transform?.autoscalingTag, `${name}-${changingTag}`, tag, tagOptions));
  }
  return { role, launchTemplate, nodeGroup, autoscalingGroupName };
}

/**
 * The tag with the end of a lease. A new value in the launch template would be a new version, which replaces running
 * nodes. Instances get the tag from the Auto Scaling group instead when they start.
 */
const changingTag = "expires-at";

/** The tags of the instances in the launch template. */
export function instanceTags<T extends object>(tags: T): Omit<T, typeof changingTag> {
  const { [changingTag]: _, ...rest } = tags as T & { readonly [changingTag]?: unknown };
  return rest;
}

function physicalBase(text: string, name: string, spec: NodeGroupSpec): string {
  if (spec.physicalName !== undefined) return text;
  const own = name.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, longestPhysicalName - 2);
  return `${text.slice(0, longestPhysicalName - 1 - own.length)}-${own}`;
}

function makeLaunchTemplate(
  name: string,
  { prefix, tags }: Naming,
  spec: NodeGroupSpec,
  options: pulumi.CustomResourceOptions,
): ec2.LaunchTemplate {
  const args: ec2.LaunchTemplateArgs = {
    namePrefix: prefix,
    description: "Nodes of an EKS managed node group",
    updateDefaultVersion: true,
    // One hop: the node itself and pods on its network reach the node's role, other pods do not.
    metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
    // Only the launch template has the size: EKS accepts no size on a node group with a launch template.
    blockDeviceMappings: [
      {
        deviceName: "/dev/xvda",
        ebs: { volumeType: "gp3", volumeSize: spec.diskSizeGiB, encrypted: "true", deleteOnTermination: "true" },
      },
    ],
    tagSpecifications: ["instance", "volume", "network-interface"].map((resourceType) => ({ resourceType, tags })),
    userData: spec.userData,
    // Interfaces name their security groups themselves, and then the template must not.
    ...(!spec.launchTemplate?.networkInterfaces && { vpcSecurityGroupIds: spec.securityGroupIds }),
    tags,
    ...spec.launchTemplate,
  };
  return new ec2.LaunchTemplate(
    ...transformed(spec.transform?.launchTemplate, `${name}-launch-template`, args, options),
  );
}

function nodeGroupArgs(
  spec: NodeGroupSpec,
  made: Naming & { role: iam.Role; launchTemplate: ec2.LaunchTemplate },
): eks.NodeGroupArgs {
  const { desiredSize, minSize, maxSize, labels, taints } = spec;
  return {
    clusterName: spec.clusterName,
    nodeGroupNamePrefix: made.prefix,
    nodeRoleArn: made.role.arn,
    subnetIds: spec.subnetIds,
    amiType: spec.amiType,
    version: spec.kubernetesVersion,
    releaseVersion: spec.releaseVersion,
    capacityType: spec.capacityType,
    // EKS reads the type from the group or from its template, and rejects both.
    ...(!spec.launchTemplate?.instanceType && { instanceTypes: [spec.instanceType] }),
    scalingConfig: { desiredSize, minSize, maxSize },
    updateConfig: spec.updateConfig,
    ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
    ...(taints.length > 0 && { taints: taints.map((taint) => ({ ...taint })) }),
    nodeRepairConfig: spec.nodeRepairConfig,
    launchTemplate: { id: made.launchTemplate.id, version: made.launchTemplate.latestVersion.apply(String) },
    tags: made.tags,
  };
}
