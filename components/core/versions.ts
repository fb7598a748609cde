/**
 * Every version this library pins, each with its date and source. All are exact: an upgrade changes
 * this file, or the same key in a stack's configuration.
 */

/** Kubernetes minor of the control plane. Standard support ends 2027-03-27. @see https://endoflife.date/amazon-eks */
export const kubernetesVersion = "1.35";

/**
 * Release of the EKS optimized AL2023 AMIs by Kubernetes minor: the newest seen in use on 2026-10-06. One release
 * covers the standard and the NVIDIA variants.
 * @see https://github.com/awslabs/amazon-eks-ami/releases
 */
export const amiReleases: Readonly<Record<string, string>> = {
  "1.35": "1.35.8-20260930",
  "1.36": "1.36.4-20260930",
};

/**
 * Versions of EKS add-ons in lab stacks by Kubernetes minor: observed on it between August and October 2026, and pinned so
 * that measurements stay comparable. An add-on that a stack's configuration names has the version that it states.
 */
export const pinnedAddons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "1.35": {
    "vpc-cni": "v1.22.4-eksbuild.3",
    "kube-proxy": "v1.35.3-eksbuild.29",
    "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
    coredns: "v1.13.2-eksbuild.31",
    "metrics-server": "v0.9.0-eksbuild.11",
    "external-dns": "v0.21.0-eksbuild.6",
    "cert-manager": "v1.21.0-eksbuild.3",
    "eks-node-monitoring-agent": "v1.7.0-eksbuild.1",
  },
  // Others were not seen on 1.36 by several sources.
  "1.36": {
    "vpc-cni": "v1.22.4-eksbuild.3",
    "kube-proxy": "v1.36.0-eksbuild.25",
    "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
    coredns: "v1.14.3-eksbuild.23",
    "metrics-server": "v0.9.0-eksbuild.11",
  },
};

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
 * Chart of the EFA device plugin v0.5.20, 2026-07-21. Its values choose the image and its tag.
 * @see https://github.com/aws/eks-charts/tree/master/stable/aws-efa-k8s-device-plugin
 */
export const efaDevicePluginChart = {
  name: "aws-efa-k8s-device-plugin",
  version: "v0.5.30",
  repository: "https://aws.github.io/eks-charts",
} as const;

/**
 * Chart of the Cluster Autoscaler, 2026-07-21, and the image that fits each minor of Kubernetes, 2026-07-22.
 * @see https://github.com/kubernetes/autoscaler/releases
 */
export const clusterAutoscalerChart = {
  name: "cluster-autoscaler",
  version: "9.59.0",
  repository: "https://kubernetes.github.io/autoscaler",
  imageTags: { "1.35": "v1.35.2", "1.36": "v1.36.1" } as Readonly<Record<string, string>>,
} as const;

/**
 * Chart of Karpenter, 2026-07-11, by its full reference.
 * @see https://github.com/aws/karpenter-provider-aws/releases/tag/v1.14.0
 */
export const karpenterChart = {
  name: "karpenter",
  version: "1.14.0",
  repository: "oci://public.ecr.aws/karpenter/karpenter",
} as const;

/**
 * Chart of Kueue, 2026-08-20, by its full reference, and the image of its version. The project publishes both for each
 * release; the chart in its repository names an image of the next one.
 * @see https://github.com/kubernetes-sigs/kueue/releases/tag/v0.19.2
 */
export const kueueChart = {
  name: "kueue",
  version: "0.19.2",
  repository: "oci://registry.k8s.io/kueue/charts/kueue",
  image: "registry.k8s.io/kueue/kueue",
} as const;

/**
 * Images of the lab workloads. Each has a digest that its publisher or several independent sources state. No image was
 * pulled to check it.
 *
 * - `cuda`: Ubuntu 22.04 with CUDA 12.4.1 only, for amd64 and arm64. The node's driver provides `nvidia-smi`. NVIDIA
 *   publishes it on Docker Hub too, where the digest is public; its own registry shows none.
 * - `pytorch`: PyTorch 2.8.0 with NCCL 2.27, amd64 only, without a plugin for EFA.
 * - `dcgm`: DCGM 4.6.0 with `dcgmi`, with the digest of NVIDIA's bundle for OpenShift of the GPU Operator v26.7.0.
 * - `vllm`: vLLM 0.11.0 with CUDA 12.8, for amd64 and arm64.
 * - `busybox`: 1.37.0, with `sh` and `httpd`, for amd64 and arm64.
 * - `kubectl`: 1.35.3, without a shell, for amd64 and arm64.
 * @see https://hub.docker.com/r/nvidia/cuda/tags?name=12.4.1-base-ubuntu22.04 2026-10
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/bundle/manifests/gpu-operator-certified.clusterserviceversion.yaml
 */
export const workloadImages = {
  cuda: "docker.io/nvidia/cuda:12.4.1-base-ubuntu22.04@sha256:0f6bfcbf267e65123bcc2287e2153dedfc0f24772fb5ce84afe16ac4b2fada95",
  pytorch:
    "docker.io/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime@sha256:417bd75df6365104c283ea4c1651fb3530d9eb5a4c2fafa51943cff2a94e6385",
  dcgm: "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubi10@sha256:92080d86d04c265f7fc0b8e1cd95dff94d3ab57de6a6474c3c483e4c2ada5dea",
  vllm: "docker.io/vllm/vllm-openai:v0.11.0@sha256:014a95f21c9edf6abe0aea6b07353f96baa4ec291c427bb1176dc7c93a85845c",
  busybox: "docker.io/library/busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0",
  kubectl: "registry.k8s.io/kubectl:v1.35.3@sha256:8dad99b604a2c0bafe17f53cadf78482d6f667a6da687f385508f5f4e4696d37",
} as const;

/**
 * Chart of Prometheus, its operator, Alertmanager, Grafana and the exporters, 2026-08-21: the newest whose
 * values and templates have been read. It takes Kubernetes 1.25 and newer.
 * @see https://github.com/prometheus-community/helm-charts/tree/kube-prometheus-stack-88.5.3/charts/kube-prometheus-stack
 */
export const kubePrometheusStackChart = {
  name: "kube-prometheus-stack",
  version: "88.5.3",
  operatorVersion: "v0.93.1",
  repository: "https://prometheus-community.github.io/helm-charts",
} as const;

/**
 * Chart of NVIDIA's mock NVML, 2026-08-01, and the image that it starts. NVIDIA publishes the image by tag; its digest was
 * not seen in a public source, so it is not pinned here.
 * @see https://github.com/NVIDIA/k8s-test-infra/tree/v0.3.0/deployments/nvml-mock
 */
export const nvmlMockChart = {
  name: "nvml-mock",
  version: "0.3.0",
  repository: "oci://ghcr.io/nvidia/k8s-test-infra/chart/nvml-mock",
  image: "0.3.0",
} as const;

/** The oldest Pulumi CLI that runs the stacks: that of the oldest SDK in `peerDependencies`. */
export const oldestPulumiCli = "3.248.0";
