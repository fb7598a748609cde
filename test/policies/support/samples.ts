/**
 * One plausible resource of each type that a rule judges, as it arrives after the provider's Check. Tests of every rule
 * start from these and spoil them; a rule on a new type adds its own.
 */
export const samples: Readonly<Record<string, Record<string, unknown>>> = {
  "eks-gpu-lab:index:GpuNodeGroup": {
    clusterName: "myeks",
    instanceType: "g5.xlarge",
    desiredSize: 1,
    minSize: 0,
    maxSize: 2,
    labels: { tier: "gpu", "nvidia.com/gpu": "true" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  },
  "eks-gpu-lab:index:SystemNodeGroup": { instanceType: "t3.medium", desiredSize: 2, minSize: 1, maxSize: 4 },
  "eks-gpu-lab:index:GpuOperator": { chartVersion: "v26.3.1", namespace: "gpu-operator", migStrategy: "none" },
  "aws:eks/nodeGroup:NodeGroup": {
    amiType: "AL2023_x86_64_NVIDIA",
    capacityType: "ON_DEMAND",
    instanceTypes: ["g5.xlarge"],
    scalingConfig: { desiredSize: 1, maxSize: 2, minSize: 0 },
    subnetIds: ["subnet-0"],
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  },
  "eks:index:ManagedNodeGroup": { scalingConfig: { desiredSize: 1, maxSize: 2, minSize: 0 } },
  "eks:index:NodeGroupV2": { desiredCapacity: 1, maxSize: 2, minSize: 0 },
  "aws:autoscaling/group:Group": {
    desiredCapacity: 1,
    maxSize: 2,
    minSize: 0,
    forceDelete: false,
    launchTemplate: { id: "lt-0", version: "1" },
  },
  "kubernetes:helm.sh/v3:Release": {
    atomic: false,
    chart: "gpu-operator",
    devel: false,
    namespace: "gpu-operator",
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    timeout: 900,
    values: { driver: { enabled: false }, toolkit: { enabled: false } },
    version: "v26.3.1",
  },
  "kubernetes:helm.sh/v4:Chart": { chart: "gpu-operator", version: "v26.3.1", devel: false },
  "kubernetes:helm.sh/v3:Chart": {
    chart: "gpu-operator",
    version: "v26.3.1",
    fetchOpts: { repo: "https://helm.ngc.nvidia.com/nvidia", version: "v26.3.1", devel: false },
  },
  "kubernetes:nvidia.com/v1:ClusterPolicy": {
    metadata: { name: "cluster-policy", labels: { "helm.sh/chart": "gpu-operator-v26.3.1" } },
    spec: {},
  },
};
