import * as eks from "@pulumi/aws/eks";
import { Deployment } from "@pulumi/kubernetes/apps/v1";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 1 },
  });

  const container = {
    name: "chat",
    image: "vllm/vllm-openai:v0.11.0",
    resources: { limits: { "nvidia.com/gpu": "1" } },
  };
  const spec = { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }], containers: [container] };

  new Deployment("chat", {
    spec: {
      selector: { matchLabels: { app: "chat" } },
      // The old pod keeps the only GPU until the new pod is ready, which waits for it: the rollout never ends.
      strategy: good ? { type: "Recreate" } : { type: "RollingUpdate" },
      template: { metadata: { labels: { app: "chat" } }, spec },
    },
  });
}
