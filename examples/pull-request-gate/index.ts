import * as pulumi from "@pulumi/pulumi";
import { GpuNodeGroup, LabLease } from "eks-gpu-lab";

const config = new pulumi.Config();
const clusterName = config.require("clusterName");
const maxSize = config.requireNumber("maxSize");

const gpuNodes = new GpuNodeGroup("gpu", {
  clusterName,
  kubernetesVersion: "1.35",
  subnetId: config.require("subnetId"),
  securityGroupIds: ["sg-0123456789abcdef0"],
  instanceType: config.require("instanceType"),
  maxSize,
});

const nodeGroups = { gpu: { nodeGroupName: gpuNodes.nodeGroupName, maxSize } };
new LabLease("lease", { clusterName, nodeGroups, nightly: "22:00", timeZone: "Europe/Dublin" });

export const gpuNodeGroup = gpuNodes.nodeGroupName;
