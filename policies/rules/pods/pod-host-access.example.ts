import { Pod } from "@pulumi/kubernetes/core/v1";
import { training } from "../example-parts";

export function example(good: boolean) {
  new Pod("train", {
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          ...training,
          // The container has a limit of one GPU, but uses all GPUs of the node.
          securityContext: good ? { allowPrivilegeEscalation: false } : { privileged: true },
        },
      ],
    },
  });
}
