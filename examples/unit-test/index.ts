import * as pulumi from "@pulumi/pulumi";
import { GpuEnvironment, versions } from "eks-gpu-lab";

const config = new pulumi.Config();

const lab = new GpuEnvironment("lab", {
  publicAccessCidrs: config.requireObject<string[]>("publicAccessCidrs"),
  addons: versions.pinnedAddons[versions.kubernetesVersion] ?? {},
  gpuNodes: { maxSize: config.requireNumber("maxSize") },
  lease: { nightly: "22:00", timeZone: "Europe/Dublin" },
});

export const { gpuNodeGroupName, region } = lab.outputs;
