import { Pod } from "@pulumi/kubernetes/core/v1";

export function example(good: boolean) {
  new Pod("smi", {
    spec: {
      restartPolicy: "Never",
      // The nodes have the taint nvidia.com/gpu. EKS adds this toleration only for the resource nvidia.com/gpu, so the pod
      // stays Pending while GPUs are idle.
      tolerations: good ? [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] : [],
      containers: [
        {
          name: "smi",
          image: "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04",
          command: ["nvidia-smi"],
          resources: { limits: { "nvidia.com/mig-1g.10gb": "1", memory: "1Gi", cpu: "1" } },
        },
      ],
    },
  });
}
