import * as pulumi from "@pulumi/pulumi";
import { getParameter } from "@pulumi/aws/ssm/getParameter";
import type { EksCluster } from "../cluster/eks-cluster";
import { describeTotal } from "../cost/cost-summary";
import { environmentCost } from "../cost/environment-cost";
import type { GpuEnvironmentArgs } from "./gpu-environment-args";
import { clusterFacts, type ClusterFacts } from "./cluster-facts";
import { environmentDefaults } from "./environment-defaults";
import { costSizes } from "./gpu-environment-plan";
import type { GpuOperator } from "../gpu/operator/gpu-operator";
import type { Network } from "../network/network";
import type { Monitoring } from "../observe/monitoring/monitoring";
import type { NodeFirewall } from "../network/firewall/node-firewall";
import { amiReleaseFor, parseAmiRelease } from "../nodes/machine/ami-releases";
import type { GpuNodeGroup } from "../nodes/gpu-node-group";
import { gpuNodeGroupDefaults } from "../nodes/gpu-node-group-schema";
import { scaleCommand } from "../nodes/scaling";
import type { Taint } from "../nodes/scheduling/taints";
import type { InstanceType } from "../nodes/machine/instance-types";
import type { SystemNodeGroup } from "../nodes/system-node-group";

/** What a stack of the environment exports. */
export type GpuEnvironmentOutputs = {
  /** The command that makes kubectl talk to the cluster. */
  readonly configureKubectl: pulumi.Output<string>;
  readonly clusterName: pulumi.Output<string>;
  readonly kubernetesVersion: pulumi.Output<string>;
  readonly clusterEndpoint: pulumi.Output<string>;
  /** The group that EKS made for the control plane. */
  readonly clusterSecurityGroupId: pulumi.Output<string>;
  readonly nodeSecurityGroupId: pulumi.Output<string>;
  readonly auxiliaryNodeSgId: pulumi.Output<string>;
  readonly gpuSubnetAz: pulumi.Output<string>;
  readonly gpuSubnetId: pulumi.Output<string>;
  /** Image id of the system nodes' AMI release. */
  readonly amiAl2023Standard: pulumi.Output<string>;
  /** Image id of the GPU nodes' AMI release. */
  readonly amiAl2023Nvidia: pulumi.Output<string>;
  /** For kubectl and Kubernetes clients; a secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** For programs that install something in the cluster. */
  readonly clusterFacts: pulumi.Output<ClusterFacts>;
  readonly gpuNodeGroupName: pulumi.Output<string>;
  /** What a pod must tolerate to run on a GPU node. */
  readonly gpuTaints: pulumi.Output<readonly Taint[]>;
  /** Version of the GPU Operator's chart, or `none`. */
  readonly gpuOperatorVersion: pulumi.Output<string>;
  /** Version of the chart kube-prometheus-stack, or `none`. */
  readonly monitoringVersion: pulumi.Output<string>;
  readonly gpuAutoscalingGroupName: pulumi.Output<string>;
  /** The AMI release that EKS reports for the system nodes. */
  readonly systemReleaseVersion: pulumi.Output<string>;
  /** The AMI release that EKS reports for the GPU nodes. */
  readonly gpuReleaseVersion: pulumi.Output<string>;
  /** The command that starts a session: all GPU nodes up. */
  readonly scaleUp: pulumi.Output<string>;
  /** The command that ends a session: no GPU node, no GPU cost. */
  readonly scaleDown: pulumi.Output<string>;
  readonly costAtRest: pulumi.Output<string>;
  readonly costPerGpuNode: pulumi.Output<string>;
};

/** The parts that outputs are read from. */
interface OutputParts {
  readonly network: Network;
  readonly cluster: EksCluster;
  readonly firewall: NodeFirewall;
  readonly systemNodes: SystemNodeGroup;
  readonly gpuNodes: GpuNodeGroup;
  readonly gpuOperator: GpuOperator | undefined;
  readonly monitoring: Monitoring | undefined;
}

/** Gathers the outputs of an environment whose parts are made. */
export function environmentOutputs(
  environment: pulumi.Resource & OutputParts,
  args: GpuEnvironmentArgs,
  region: pulumi.Output<string>,
): GpuEnvironmentOutputs {
  const { cluster, firewall, network, gpuNodes, gpuOperator, monitoring, systemNodes } = environment;
  const azIndex = args.gpuNodes?.azIndex ?? environmentDefaults.azIndex;
  const cost = region.apply((name) => environmentCost(costSizes(args, name)));
  const { min, max } = gpuNodeLimits(args);
  const scaleTo = (desired: number) => scaleGpuNodes(environment, args, region, desired);
  return {
    configureKubectl: pulumi.interpolate`aws eks update-kubeconfig --region ${region} --name ${cluster.clusterName}`,
    clusterName: cluster.clusterName,
    kubernetesVersion: pulumi.output(args.kubernetesVersion ?? environmentDefaults.kubernetesVersion),
    clusterEndpoint: cluster.endpoint,
    clusterSecurityGroupId: cluster.clusterSecurityGroupId,
    nodeSecurityGroupId: firewall.nodeSecurityGroupId,
    auxiliaryNodeSgId: firewall.auxiliarySecurityGroupId,
    gpuSubnetAz: pulumi.output(network.zones[azIndex] as pulumi.Input<string>),
    gpuSubnetId: pulumi.output(network.privateSubnetIds[azIndex] as pulumi.Input<string>),
    amiAl2023Standard: imageId(
      environment,
      args,
      "standard",
      args.systemNodes?.releaseVersion,
      systemNodes.instanceType,
    ),
    amiAl2023Nvidia: imageId(environment, args, "nvidia", args.gpuNodes?.releaseVersion, gpuNodes.gpu),
    kubeconfig: cluster.kubeconfig,
    clusterFacts: pulumi.output(clusterFacts(args)),
    gpuNodeGroupName: gpuNodes.nodeGroupName,
    gpuTaints: pulumi.output(gpuNodes.taints),
    gpuOperatorVersion: gpuOperator?.chartVersion ?? pulumi.output("none"),
    monitoringVersion: monitoring?.chartVersion ?? pulumi.output("none"),
    gpuAutoscalingGroupName: gpuNodes.autoscalingGroupName,
    systemReleaseVersion: systemNodes.releaseVersion,
    gpuReleaseVersion: gpuNodes.releaseVersion,
    scaleUp: scaleTo(max),
    scaleDown: scaleTo(min),
    costAtRest: cost.apply(({ atRest }) => describeTotal(atRest)),
    costPerGpuNode: cost.apply(({ perGpuNodeHour: { usdPerHour, complete } }) =>
      complete ? `${usdPerHour.toFixed(4)} USD per hour` : `at least ${usdPerHour.toFixed(4)} USD per hour`,
    ),
  };
}

/** The fewest and the most GPU nodes that the group takes. */
export function gpuNodeLimits({ gpuNodes }: GpuEnvironmentArgs): { readonly min: number; readonly max: number } {
  const { minSize, maxSize } = gpuNodeGroupDefaults;
  return { min: gpuNodes?.minSize ?? minSize, max: gpuNodes?.maxSize ?? maxSize };
}

/** The command that scales the GPU nodes to so many. */
export function scaleGpuNodes(
  { cluster, gpuNodes }: Pick<OutputParts, "cluster" | "gpuNodes">,
  args: GpuEnvironmentArgs,
  region: pulumi.Output<string>,
  desired: number,
): pulumi.Output<string> {
  const names = pulumi.all([cluster.clusterName, gpuNodes.nodeGroupName, region]);
  return names.apply(([clusterName, group, regionName]) =>
    scaleCommand({ cluster: clusterName, group, region: regionName, ...gpuNodeLimits(args), desired }),
  );
}

/**
 * The image behind a pinned release, as AWS publishes it. For information: nodes take their image from the release.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
 */
function imageId(
  parent: pulumi.Resource,
  args: GpuEnvironmentArgs,
  variant: "standard" | "nvidia",
  stated: string | undefined,
  type: InstanceType,
): pulumi.Output<string> {
  const architecture = type.architecture === "arm64" ? "arm64" : "x86_64";
  const version = args.kubernetesVersion ?? environmentDefaults.kubernetesVersion;
  const date = parseAmiRelease(amiReleaseFor(stated, version) ?? "")?.date;
  const image = `amazon-eks-node-al2023-${architecture}-${variant}-${version}-v${date}`;
  const name = `/aws/service/eks/optimized-ami/${version}/amazon-linux-2023/${architecture}/${variant}/${image}/image_id`;
  const read = getParameter({ name }, { parent }).then(
    ({ value }) => value,
    () => `could not be read from ${name}`,
  );
  return pulumi.output(read);
}
