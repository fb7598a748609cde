import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { chartRepository, chartVersion, installTimeout } from "../../core/helm-chart";
import { makeRelease } from "../../core/helm-release";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions, clusterResource } from "../../core/options";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, resolveArgs, type GivenOf, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformOf, type Transform } from "../../core/transform";
import { efaDevicePluginChart as chart } from "../../core/versions";
import { taintList } from "../../nodes/scheduling/taints";
import { gpuTolerations } from "../health/gpu-health";

/** Adjusts the underlying resource before it is created. */
export interface EfaDevicePluginTransform {
  readonly release?: Transform<ReleaseArgs>;
}

const instanceTypeName = s.matching(
  /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/,
  "an EC2 instance type",
  'set {path} to "g5.8xlarge"',
);

/** Arguments of an EfaDevicePlugin. */
export const efaDevicePlugin = s.section({
  /** One exact version of the chart. @default the pinned version - it never floats */
  chartVersion: s.optional(chartVersion(chart), chart.version),
  /** Chart repository, https. @default "https://aws.github.io/eks-charts" - AWS's repository */
  repository: s.optional(chartRepository(chart), chart.repository),
  /**
   * Taints of all node groups with EFA: the plugin tolerates them.
   * @default [] - nvidia.com/gpu:NoSchedule is always tolerated
   */
  taints: s.optional(taintList(), []),
  /**
   * EC2 types of the nodes on which the plugin runs.
   * @default [] - every type with EFA that the chart lists
   */
  instanceTypes: s.optional(s.list(instanceTypeName, '["g5.8xlarge"]'), []),
  /** How long Helm waits for the chart, in seconds: 60 to 3600. @default 600 - a new node pulls the image first */
  timeoutSeconds: s.optional(installTimeout(), 600),
  /**
   * The cluster: on destroy, the release is deleted with the cluster, without a call to an API server that may be gone.
   *
   * @default none - Helm uninstalls the release
   */
  cluster: s.optional(clusterResource()),
  /** Adjusts the underlying resource. @default none - none is adjusted */
  transform: s.optional(transformOf<EfaDevicePluginTransform>({ release: true })),
});

export interface EfaDevicePluginArgs extends Readonly<GivenOf<typeof efaDevicePlugin>> {}

export const efaDevicePluginDefaults = defaultsOf(efaDevicePlugin);

/** Every problem in the arguments of an EfaDevicePlugin. `at` is the prefix of the paths. */
export function efaDevicePluginProblems(args: EfaDevicePluginArgs, at = ""): readonly Problem[] {
  return problemsIn(efaDevicePlugin, args, at);
}

/**
 * Installs AWS's device plugin for Elastic Fabric Adapters. Without it, nodes do not advertise `vpc.amazonaws.com/efa`, and
 * pods that request it stay Pending. A DaemonSet in kube-system runs it on the nodes of the instance types with EFA.
 *
 * The image is in Amazon ECR in us-west-2, from which nodes of all regions of the partition `aws` can pull it. Other
 * partitions have their own registries: set `image.repository` of the chart's values with `transform.release`. A pod
 * should also request `hugepages-2Mi`, which the EKS AMI reserves on nodes with EFA.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
 * @see https://github.com/aws/eks-charts/tree/master/stable/aws-efa-k8s-device-plugin
 * @cost No additional charge. 10m CPU and 20 MiB of each node with EFA.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class EfaDevicePlugin extends pulumi.ComponentResource {
  readonly releaseName: pulumi.Output<string>;
  /** Version of the chart that is installed. */
  readonly chartVersion: pulumi.Output<string>;

  constructor(name: string, args: EfaDevicePluginArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `EfaDevicePlugin "${name}"`;
    const { cluster, transform, ...settings } = resolveArgs(subject, efaDevicePlugin, args);
    super(token("EfaDevicePlugin"), name, settings, opts);
    refuseWithoutProvider(subject, this);
    const options = childOptions(this, opts, cluster);
    const release = makeRelease(name, releaseArgs(settings), transform?.release, options);
    this.releaseName = release.name;
    this.chartVersion = release.version;
    this.registerOutputs({ releaseName: this.releaseName, chartVersion: this.chartVersion });
  }
}

type Settings = Omit<ValueOf<typeof efaDevicePlugin>, "cluster" | "transform">;

function releaseArgs({
  chartVersion: version,
  repository,
  taints,
  instanceTypes,
  timeoutSeconds,
}: Settings): ReleaseArgs {
  return {
    name: chart.name,
    chart: chart.name,
    repositoryOpts: { repo: repository },
    version,
    namespace: "kube-system",
    values: {
      tolerations: gpuTolerations(taints),
      ...(instanceTypes.length > 0 && { supportedInstanceLabels: { values: [...instanceTypes] } }),
    },
    timeout: timeoutSeconds,
    skipAwait: false,
    // A failed release stays in the cluster, so that you can find the cause.
    atomic: false,
  };
}
