import { Pod } from "@pulumi/kubernetes/core/v1";
import { training } from "../example-parts";

export function example(good: boolean) {
  new Pod("train", {
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          ...training,
          // The next node can pull a newer CUDA version that its driver does not support.
          image: good ? "pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime" : "pytorch/pytorch:latest",
        },
      ],
    },
  });
}
