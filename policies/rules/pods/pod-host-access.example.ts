import { Pod } from "@pulumi/kubernetes/core/v1";

export function example(good: boolean) {
  new Pod("train", {
    spec: {
      restartPolicy: "Never",
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
      containers: [
        {
          name: "train",
          image: "pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime",
          resources: { requests: { cpu: "3" }, limits: { memory: "12Gi", "nvidia.com/gpu": "1" } },
          // The container has a limit of one GPU, but uses all GPUs of the node.
          securityContext: good ? { allowPrivilegeEscalation: false } : { privileged: true },
        },
      ],
    },
  });
}
