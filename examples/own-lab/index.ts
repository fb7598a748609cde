import { Namespace } from "@pulumi/kubernetes/core/v1";
import * as pulumi from "@pulumi/pulumi";
import { faultSwitch, GpuDeployment, GpuEnvironment, versions } from "eks-gpu-lab";

export const question = "What happens to four pods that share one GPU when its time slicing is removed?";
export const hypothesis =
  "the pods keep running, because the kubelet evicts none; after the next restart, three of them stay Pending";

const fault = faultSwitch();

const lab = new GpuEnvironment("sharing", {
  clusterName: "sharing",
  publicAccessCidrs: new pulumi.Config().requireObject<string[]>("publicAccessCidrs"),
  gpuNodes: { maxSize: 1 },
  gpuOperator: {
    enabled: true,
    validatorWorkload: false, // its pod would take one of the four shares
    ...(!fault.isOn && { timeSlicing: { replicas: 4 } }),
  },
  addons: versions.pinnedAddons[versions.kubernetesVersion] ?? {},
  lease: { nightly: "22:00", timeZone: "Europe/Dublin" },
});

const cluster = lab.cluster.core;
const options = { provider: lab.cluster.provider, dependsOn: lab };
const { metadata } = new Namespace("sharing", { metadata: { name: "sharing" } }, { ...options, deletedWith: cluster });
const services = new GpuDeployment("services", { namespace: metadata.name, replicas: 4, cluster }, options);

export const { configureKubectl, scaleUp, scaleDown } = lab.outputs;
export const watch = ["kubectl get pods -n sharing", services.commands.rollout];
export const restore = "pulumi config set fault off && pulumi up";
