import type { Lab } from "./run/lab";

/** The base environment, and nothing else: every other lab is a small difference from it. */
export const gpuLab: Lab = {
  question: "What does a GPU lab on EKS consist of, and what does it cost while it is not in use?",
  hypothesis: "a cluster with two system nodes and no GPU node; GPU nodes start for a session and stop after it",
  watch: ["kubectl get nodes -L node.kubernetes.io/instance-type,nvidia.com/gpu.present"],
  restore: "$(pulumi stack output scaleDown)",
  local: "The lab is the environment on AWS.",
  clusterName: "myeks",
  minutes: 30,
  gpuNodes: 2,
  toggles: [
    {
      name: "NCCL blocked",
      config: ["nccl=blocked"],
      changes: [
        "delete SecurityGroupIngressRule gpu-lab-firewall-auxiliary-vpc-wide",
        "delete SecurityGroupIngressRule gpu-lab-firewall-node-to-node",
      ],
    },
    {
      name: "the GPU Operator installed",
      config: ["gpuOperator.enabled=true"],
      changes: ["create Namespace gpu-lab-gpu-operator-namespace", "create Release gpu-lab-gpu-operator"],
    },
  ],
};
