import { Pod } from "@pulumi/kubernetes/core/v1";
import { training } from "../example-parts";

export function example(good: boolean) {
  new Pod("train", {
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          ...training,
          // Can use all the memory of the node, which then becomes NotReady.
          resources: good
            ? { requests: { cpu: "3" }, limits: { memory: "12Gi", "nvidia.com/gpu": "1" } }
            : { limits: { "nvidia.com/gpu": "1" } },
        },
      ],
    },
  });
}
