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
          // Can use all the memory of the node, which then becomes NotReady.
          resources: good
            ? { requests: { cpu: "3" }, limits: { memory: "12Gi", "nvidia.com/gpu": "1" } }
            : { limits: { "nvidia.com/gpu": "1" } },
        },
      ],
    },
  });
}
