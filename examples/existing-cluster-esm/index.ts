// The file, not the folder "@pulumi/aws/eks": ES modules cannot import a folder, and @pulumi/aws has no map of exports.
import { getClusterOutput } from "@pulumi/aws/eks/getCluster.js";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { GpuNodeGroup, GpuOperator, LabLease } from "eks-gpu-lab";

const config = new pulumi.Config();
const clusterName = config.require("clusterName");
const kubernetesVersion = config.require("kubernetesVersion");
const maxSize = config.getNumber("maxSize") ?? 2;

const cluster = getClusterOutput({ name: clusterName });
const provider = new kubernetes.Provider("cluster", { kubeconfig: config.requireSecret("kubeconfig") });

const gpuNodes = new GpuNodeGroup("gpu", {
  clusterName,
  kubernetesVersion,
  subnetId: config.require("subnetId"),
  securityGroupIds: [cluster.vpcConfig.clusterSecurityGroupId],
  maxSize,
});

new GpuOperator(
  "gpu-operator",
  {
    kubernetesVersion,
    taints: gpuNodes.taints,
    migCapable: gpuNodes.gpu.supportsMig,
    health: "operator",
    controllerNodeSelector: { "eks.amazonaws.com/nodegroup": "system" },
  },
  { provider },
);

const nodeGroups = { gpu: { nodeGroupName: gpuNodes.nodeGroupName, maxSize } };
new LabLease("lease", { clusterName, nodeGroups, nightly: "22:00", timeZone: "Europe/Dublin" });

export const gpuNodeGroup = gpuNodes.nodeGroupName;
