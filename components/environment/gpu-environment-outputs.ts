import * as pulumi from "@pulumi/pulumi";
import { getParameter } from "@pulumi/aws/ssm/getParameter";
import type { EksCluster } from "../cluster/eks-cluster";
import { describeTotal } from "../cost/cost-summary";
import { accountIdOf } from "../core/lookups";
import { environmentCost } from "../cost/environment-cost";
import { factsOf, type ClusterFacts } from "./cluster-facts";
import { isAutoMode } from "./on-demand-conflicts";
import { sizesOf, type EnvironmentSettings } from "./gpu-environment-plan";
import type { GpuOperator } from "../gpu/operator/gpu-operator";
import type { LabLease } from "../lease/lab-lease";
import type { NodePoolLease } from "../lease/node-pool-lease";
import type { Network } from "../network/network";
import type { Monitoring } from "../observe/monitoring/monitoring";
import type { NodeFirewall } from "../network/firewall/node-firewall";
import { imageFolder, imageName } from "../nodes/machine/ami-releases";
import type { GpuNodeGroup } from "../nodes/gpu-node-group";
import type { GpuNodePool } from "../nodes/pool/gpu-node-pool";
import { scaleCommand } from "../nodes/scaling";
import type { Taint } from "../nodes/scheduling/taints";
import { instanceType, type InstanceType } from "../nodes/machine/instance-types";
import type { SystemNodeGroup } from "../nodes/system-node-group";

/** What a stack of the environment exports. */
export type GpuEnvironmentOutputs = {
  /** The command that configures kubectl for the cluster. */
  readonly configureKubectl: pulumi.Output<string>;
  /** The AWS account of the cluster. */
  readonly account: pulumi.Output<string>;
  readonly region: pulumi.Output<string>;
  readonly clusterName: pulumi.Output<string>;
  /** The id in the tag `eks-gpu-lab/id` of everything that the environment created. */
  readonly environmentId: pulumi.Output<string>;
  readonly kubernetesVersion: pulumi.Output<string>;
  readonly clusterEndpoint: pulumi.Output<string>;
  /** The group that EKS created for the control plane. */
  readonly clusterSecurityGroupId: pulumi.Output<string>;
  readonly nodeSecurityGroupId: pulumi.Output<string>;
  readonly auxiliaryNodeSgId: pulumi.Output<string>;
  readonly gpuSubnetAz: pulumi.Output<string>;
  readonly gpuSubnetId: pulumi.Output<string>;
  /** Image id of the system nodes' AMI release. */
  readonly amiAl2023Standard: pulumi.Output<string>;
  /** Image id of the GPU nodes' AMI release. EKS Auto Mode chooses the image: `none`. */
  readonly amiAl2023Nvidia: pulumi.Output<string>;
  /** For kubectl and Kubernetes clients; a secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** For programs that install something in the cluster. */
  readonly clusterFacts: pulumi.Output<ClusterFacts>;
  /** The node group of the GPU nodes, or `none`. */
  readonly gpuNodeGroupName: pulumi.Output<string>;
  /** The NodePool of the GPU nodes. Absent with a node group. */
  readonly gpuNodePoolName?: pulumi.Output<string>;
  /** Taints that a pod must tolerate to run on a GPU node. */
  readonly gpuTaints: pulumi.Output<readonly Taint[]>;
  /** Version of the GPU Operator's chart, or `none`. */
  readonly gpuOperatorVersion: pulumi.Output<string>;
  /** Version of the chart kube-prometheus-stack, or `none`. */
  readonly monitoringVersion: pulumi.Output<string>;
  /** The Auto Scaling group of the node group, or `none`. */
  readonly gpuAutoscalingGroupName: pulumi.Output<string>;
  /** The AMI release that EKS reports for the system nodes. */
  readonly systemReleaseVersion: pulumi.Output<string>;
  /**
   * The AMI release that EKS reports for the GPU nodes, or that a NodePool of Karpenter uses. EKS Auto Mode: `none`.
   */
  readonly gpuReleaseVersion: pulumi.Output<string>;
  /**
   * The command that starts a session with all GPU nodes. With a NodePool it restores the limit: pods start the nodes.
   */
  readonly scaleUp: pulumi.Output<string>;
  /** The command that ends a session: no GPU node, no GPU cost. */
  readonly scaleDown: pulumi.Output<string>;
  /** When the lease terminates GPU nodes, or `none`. */
  readonly lease: pulumi.Output<string>;
  /** Hours after `gpu up` at which the nodes of a session are terminated, or `none`. */
  readonly sessionHours: pulumi.Output<number | "none">;
  /** The group of the lease's schedules, or `none`. */
  readonly leaseScheduleGroup: pulumi.Output<string>;
  readonly costAtRest: pulumi.Output<string>;
  readonly costPerGpuNode: pulumi.Output<string>;
};

/** The parts that outputs are read from. */
interface OutputParts {
  readonly network: Network;
  readonly cluster: EksCluster;
  readonly firewall: NodeFirewall;
  readonly systemNodes: SystemNodeGroup;
  readonly gpuNodes: GpuNodeGroup | undefined;
  readonly gpuNodePool: GpuNodePool | undefined;
  readonly gpuOperator: GpuOperator | undefined;
  readonly monitoring: Monitoring | undefined;
  readonly lease: LabLease | undefined;
  readonly nodePoolLease: NodePoolLease | undefined;
}

const none = pulumi.output("none");

/** The outputs of an environment. */
export function environmentOutputs(
  environment: pulumi.Resource & OutputParts,
  settings: EnvironmentSettings,
  region: pulumi.Output<string>,
  environmentId: pulumi.Output<string>,
): GpuEnvironmentOutputs {
  const { cluster, firewall, network, gpuNodes, gpuNodePool, gpuOperator, monitoring, systemNodes } = environment;
  const { azIndex } = settings.gpuNodes;
  const { min, max } = gpuNodeLimits(settings);
  const scaleTo = (desired: number) => scaleGpuNodes(environment, settings, region, desired);
  return {
    configureKubectl: pulumi.interpolate`aws eks update-kubeconfig --region ${region} --name ${cluster.clusterName}`,
    account: accountIdOf(environment),
    region,
    clusterName: cluster.clusterName,
    environmentId,
    kubernetesVersion: pulumi.output(settings.kubernetesVersion),
    clusterEndpoint: cluster.endpoint,
    clusterSecurityGroupId: cluster.clusterSecurityGroupId,
    nodeSecurityGroupId: firewall.nodeSecurityGroupId,
    auxiliaryNodeSgId: firewall.auxiliarySecurityGroupId,
    gpuSubnetAz: pulumi.output(network.zones[azIndex] as pulumi.Input<string>),
    gpuSubnetId: pulumi.output(network.privateSubnetIds[azIndex] as pulumi.Input<string>),
    ...imageIds(environment, settings),
    kubeconfig: cluster.kubeconfig,
    clusterFacts: pulumi.output(factsOf(settings)),
    gpuNodeGroupName: gpuNodes?.nodeGroupName ?? none,
    ...(gpuNodePool && { gpuNodePoolName: gpuNodePool.nodePoolName }),
    gpuTaints: pulumi.output(settings.gpuNodes.taints),
    gpuOperatorVersion: gpuOperator?.chartVersion ?? none,
    monitoringVersion: monitoring?.chartVersion ?? none,
    gpuAutoscalingGroupName: gpuNodes?.autoscalingGroupName ?? none,
    systemReleaseVersion: systemNodes.releaseVersion,
    gpuReleaseVersion: gpuRelease(settings, gpuNodes),
    scaleUp: scaleTo(max),
    scaleDown: scaleTo(min),
    ...leaseOutputs(environment),
    ...costOutputs(settings, region),
  };
}

function gpuRelease(settings: EnvironmentSettings, gpuNodes: GpuNodeGroup | undefined): pulumi.Output<string> {
  if (gpuNodes) return gpuNodes.releaseVersion;
  return isAutoMode(settings) ? none : pulumi.output(settings.gpuNodes.releaseVersion);
}

function leaseOutputs({ lease, nodePoolLease }: OutputParts) {
  return {
    lease: pulumi.output((lease ?? nodePoolLease)?.description ?? "none"),
    sessionHours: pulumi.output(lease?.sessionHours ?? ("none" as const)),
    leaseScheduleGroup: lease?.scheduleGroupName ?? pulumi.output("none"),
  };
}

function costOutputs(settings: EnvironmentSettings, region: pulumi.Output<string>) {
  const cost = region.apply((name) => environmentCost(sizesOf(settings, name)));
  return {
    costAtRest: cost.apply(({ atRest }) => describeTotal(atRest)),
    costPerGpuNode: cost.apply(({ perGpuNodeHour: { usdPerHour, complete } }) =>
      complete ? `${usdPerHour.toFixed(4)} USD per hour` : `at least ${usdPerHour.toFixed(4)} USD per hour`,
    ),
  };
}

/** The images of the nodes' AMI releases. */
function imageIds(environment: pulumi.Resource & OutputParts, settings: EnvironmentSettings) {
  const { systemNodes, gpuNodes } = settings;
  const { instanceType: systemType } = environment.systemNodes;
  const gpu = instanceType(gpuNodes.instanceType) as InstanceType;
  return {
    amiAl2023Standard: imageId(environment, settings, systemNodes.releaseVersion, systemType),
    amiAl2023Nvidia: isAutoMode(settings) ? none : imageId(environment, settings, gpuNodes.releaseVersion, gpu),
  };
}

/** The minimum and maximum number of GPU nodes of the group. */
export function gpuNodeLimits({ gpuNodes }: EnvironmentSettings): { readonly min: number; readonly max: number } {
  return { min: gpuNodes.minSize, max: gpuNodes.maxSize };
}

/** The command that scales the GPU nodes to a number. With a NodePool, it sets the limit up to which pods start nodes. */
export function scaleGpuNodes(
  { cluster, gpuNodes, gpuNodePool }: Pick<OutputParts, "cluster" | "gpuNodes" | "gpuNodePool">,
  settings: EnvironmentSettings,
  region: pulumi.Output<string>,
  desired: number,
): pulumi.Output<string> {
  if (!gpuNodes) return limitCommand(gpuNodePool, desired);
  const names = pulumi.all([cluster.clusterName, gpuNodes.nodeGroupName, region]);
  return names.apply(([clusterName, group, regionName]) =>
    scaleCommand({ cluster: clusterName, group, region: regionName, ...gpuNodeLimits(settings), desired }),
  );
}

function limitCommand(gpuNodePool: GpuNodePool | undefined, desired: number): pulumi.Output<string> {
  if (!gpuNodePool) return pulumi.output("");
  return desired === 0 ? gpuNodePool.commands.end : gpuNodePool.commands.restore;
}

/** The image behind a pinned release, as AWS publishes it. For information: nodes take their image from the release. */
function imageId(
  parent: pulumi.Resource,
  { kubernetesVersion }: EnvironmentSettings,
  release: string,
  { amiType }: InstanceType,
): pulumi.Output<string> {
  const name = `${imageFolder(kubernetesVersion, amiType)}/${imageName(release, amiType)}/image_id`;
  const read = getParameter({ name }, { parent }).then(
    ({ value }) => value,
    () => `could not be read from ${name}`,
  );
  return pulumi.output(read);
}
