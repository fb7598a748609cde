/**
 * Every version this library pins, each with its date and source. Nothing here floats: an upgrade is a change of
 * this file, or of the same key in a stack's configuration.
 */

/** Kubernetes minor of the control plane. Standard support ends 2027-03-27. @see https://endoflife.date/amazon-eks */
export const kubernetesVersion = "1.35";

/**
 * Release of the EKS optimised AL2023 AMIs by Kubernetes minor: the newest seen in use on 2026-10-06. One release
 * covers the standard and the NVIDIA variants.
 * @see https://github.com/awslabs/amazon-eks-ami/releases
 */
export const amiReleases: Readonly<Record<string, string>> = { "1.35": "1.35.8-20260930" };

/** NVIDIA GPU Operator chart, 2026-04-17. @see https://github.com/NVIDIA/gpu-operator/releases/tag/v26.3.1 */
export const gpuOperatorChart = {
  name: "gpu-operator",
  version: "v26.3.1",
  repository: "https://helm.ngc.nvidia.com/nvidia",
} as const;

/** Chart of the AWS Load Balancer Controller, 2026-08-03. @see https://github.com/aws/eks-charts */
export const loadBalancerControllerChart = {
  name: "aws-load-balancer-controller",
  version: "3.5.0",
  repository: "https://aws.github.io/eks-charts",
} as const;

/**
 * Chart of the Cluster Autoscaler, 2026-07-21, and the image that fits Kubernetes 1.35, 2026-07-22.
 * @see https://github.com/kubernetes/autoscaler/releases
 */
export const clusterAutoscalerChart = {
  name: "cluster-autoscaler",
  version: "9.59.0",
  repository: "https://kubernetes.github.io/autoscaler",
  imageTags: { "1.35": "v1.35.2" } as Readonly<Record<string, string>>,
} as const;
