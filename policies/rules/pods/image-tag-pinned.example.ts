import { Pod } from "@pulumi/kubernetes/core/v1";

export function example(good: boolean) {
  new Pod("train", {
    spec: {
      restartPolicy: "Never",
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
      containers: [
        {
          name: "train",
          // The next node can pull a newer CUDA version that its driver does not support.
          image: good ? "pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime" : "pytorch/pytorch:latest",
          resources: { requests: { cpu: "3" }, limits: { memory: "12Gi", "nvidia.com/gpu": "1" } },
        },
      ],
    },
  });
}
