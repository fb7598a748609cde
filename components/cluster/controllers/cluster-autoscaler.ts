import type { Release } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { accountIdOf, partitionOf, regionOf } from "../../core/lookups";
import * as v from "valibot";
import { childOptions } from "../../core/options";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, completeArgs, type GivenOf, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { clusterAutoscalerChart as chart } from "../../core/versions";
import { supportedKubernetesVersion } from "../kubernetes-versions";
import { makeController, systemNodes } from "./controller-release";
import { controllerEntries, imageTag, imageTagConflicts, imageTagFor } from "./controller-schema";
import { allow, policyDocument, type PolicyDocument } from "../identity/policy-document";

const clusterAutoscalerSection = s.section({
  ...controllerEntries(chart),
  /** Kubernetes minor version of the cluster. The autoscaler simulates its scheduler, and must have the same version. */
  kubernetesVersion: supportedKubernetesVersion(),
  /**
   * Tag of the autoscaler's image: one exact version for the cluster's Kubernetes minor version.
   *
   * @default the tag pinned for the minor in components/core/versions.ts - it never floats
   */
  imageTag: s.optional(imageTag()),
});

/** Arguments of a ClusterAutoscaler. */
export const clusterAutoscalerSchema = v.pipe(
  clusterAutoscalerSection,
  s.check((args: ValueOf<typeof clusterAutoscalerSection>, at) => imageTagConflicts(args, args.kubernetesVersion, at)),
);

export interface ClusterAutoscalerArgs extends Readonly<GivenOf<typeof clusterAutoscalerSchema>> {}

export const clusterAutoscalerDefaults = defaultsOf(clusterAutoscalerSection);

/** Every problem in the arguments. Outputs are not checked. */
export function clusterAutoscalerProblems(args: ClusterAutoscalerArgs, at = ""): readonly Problem[] {
  return problemsIn(clusterAutoscalerSchema, args, at);
}

/** The namespace and service account of the autoscaler's pods. */
const place = { namespace: "kube-system", serviceAccount: "cluster-autoscaler" } as const;

/** Values of the chart cluster-autoscaler. @see https://github.com/kubernetes/autoscaler/tree/cluster-autoscaler-chart-9.59.0/cluster-autoscaler/charts/cluster-autoscaler */
function clusterAutoscalerValues(args: {
  readonly clusterName: pulumi.Input<string>;
  readonly region: pulumi.Input<string>;
  readonly serviceAccount: string;
  readonly imageTag: string;
}) {
  const { clusterName, region, serviceAccount, imageTag } = args;
  return {
    cloudProvider: "aws",
    awsRegion: region,
    autoDiscovery: { clusterName },
    image: { tag: imageTag },
    rbac: { serviceAccount: { create: true, name: serviceAccount } },
    nodeSelector: systemNodes,
    extraArgs: {
      // Groups that differ only in their zone grow in turn.
      "balance-similar-node-groups": true,
      // Of several groups that fit a pod, choose the one that leaves the least idle: not the GPU group.
      expander: "least-waste",
      // Training pods have an emptyDir as /dev/shm, which by default would prevent the scale-down of a GPU node.
      "skip-nodes-with-local-storage": false,
    },
  };
}

/**
 * Creates the role of the Cluster Autoscaler, and with `install` the autoscaler. It adds nodes to the cluster's managed
 * node groups while pods wait, and removes idle ones, within each group's minimum and maximum.
 *
 * @cost No additional charge. A pod that waits for a GPU starts a GPU node, which stops after ten idle minutes.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class ClusterAutoscaler extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  /** What must exist before an autoscaler that is installed in another way starts. */
  readonly ready: pulumi.Resource[];
  /** Undefined where only the identity is created. */
  readonly release: Release | undefined;

  constructor(name: string, args: ClusterAutoscalerArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `ClusterAutoscaler "${name}"`;
    const complete = completeArgs(subject, clusterAutoscalerSchema, args, withImage);
    const { transform = {}, cluster, ...settings } = complete;
    super(token("ClusterAutoscaler"), name, settings, opts);
    if (settings.install) refuseWithoutProvider(subject, this, { path: "install", got: true });
    const options = childOptions(this, opts);
    const { clusterName, imageTag = "" } = settings;

    const { partition } = partitionOf(this);
    const accountId = accountIdOf(this);
    const region = regionOf(this);
    const policy = pulumi.output({ partition, region, accountId, clusterName }).apply(clusterAutoscalerPolicy);
    const values = clusterAutoscalerValues({ ...place, clusterName, region, imageTag });

    const made = makeController({ name, chart, place, settings, policy, values, cluster, transform, options });
    this.roleArn = made.roleArn;
    this.ready = made.ready;
    this.release = made.release;
    this.registerOutputs({ roleArn: this.roleArn });
  }
}

/** Without an image where none is pinned and none is installed. */
function withImage(given: ValueOf<typeof clusterAutoscalerSchema>) {
  return { ...given, imageTag: imageTagFor(given.imageTag, given.kubernetesVersion) };
}

/**
 * The permissions of the Cluster Autoscaler: to read, and to change the size of the cluster's own Auto Scaling groups.
 * This policy and auto-discovery require the tags `k8s.io/cluster-autoscaler/enabled=true` and
 * `k8s.io/cluster-autoscaler/<cluster>=owned`. EKS sets them on the groups of managed node groups.
 *
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/cloudprovider/aws/README.md#iam-policy
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html "automatically tagged for auto-discovery"
 */
export function clusterAutoscalerPolicy(
  args: Record<"partition" | "region" | "accountId" | "clusterName", string>,
): PolicyDocument {
  const { partition, region, accountId, clusterName } = args;
  const here = `${region}:${accountId}`;
  const groups = `arn:${partition}:autoscaling:${here}:autoScalingGroup:*:autoScalingGroupName/*`;
  return policyDocument(
    allow("Read", reads, "*"),
    allow("ReadNodeGroups", ["eks:DescribeNodegroup"], `arn:${partition}:eks:${here}:nodegroup/${clusterName}/*/*`),
    allow("ScaleOwnGroups", scaling, groups, {
      StringEquals: { [`aws:ResourceTag/k8s.io/cluster-autoscaler/${clusterName}`]: "owned" },
    }),
  );
}

const scaling = ["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"];

/** AWS has no resource level for these. */
const reads = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeAutoScalingInstances",
  "autoscaling:DescribeLaunchConfigurations",
  "autoscaling:DescribeScalingActivities",
  "autoscaling:DescribeTags",
  "ec2:DescribeImages",
  "ec2:DescribeInstanceTypes",
  "ec2:DescribeLaunchTemplateVersions",
  "ec2:GetInstanceTypesFromInstanceRequirements",
];
