import { Deployment } from "@pulumi/kubernetes/apps/v1";

const labels = { app: "chat" };
const limits = { "nvidia.com/gpu": "1", memory: "8Gi", cpu: "2" };

new Deployment("chat", {
  spec: {
    selector: { matchLabels: labels },
    strategy: { type: "Recreate" },
    template: {
      metadata: { labels },
      spec: {
        nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-A10G" },
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }],
        containers: [{ name: "chat", image: "vllm/vllm-openai:v0.11.0", resources: { limits } }],
      },
    },
  },
});
