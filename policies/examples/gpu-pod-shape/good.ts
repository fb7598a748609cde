import { Pod } from "@pulumi/kubernetes/core/v1";

new Pod("smi", {
  spec: {
    restartPolicy: "Never",
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    containers: [
      {
        name: "smi",
        image: "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04",
        command: ["nvidia-smi"],
        resources: { limits: { "nvidia.com/gpu": "1", memory: "1Gi", cpu: "1" } },
      },
    ],
  },
});
