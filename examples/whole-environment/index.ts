import * as pulumi from "@pulumi/pulumi";
import { GpuEnvironment, versions } from "eks-gpu-lab";

const lab = new GpuEnvironment("lab", {
  clusterName: "research",
  publicAccessCidrs: new pulumi.Config().requireObject<string[]>("publicAccessCidrs"),
  gpuNodes: { instanceType: "g5.xlarge", maxSize: 2 },
  gpuOperator: { enabled: true },
  monitoring: { enabled: true },
  addons: versions.pinnedAddons[versions.kubernetesVersion] ?? {},
  lease: { nightly: "22:00", timeZone: "Europe/Dublin", hours: 6 },
});

export const { configureKubectl, costAtRest, costPerGpuNode, scaleUp, scaleDown } = lab.outputs;
export const { lease, sessionHours, leaseScheduleGroup, gpuNodeGroupName, clusterName, region } = lab.outputs;
