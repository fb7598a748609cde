import { Deployment } from "@pulumi/kubernetes/apps/v1";

export function example(good: boolean) {
  const labels = { app: "chat" };
  const limits = { "nvidia.com/gpu": "1", memory: "8Gi", cpu: "2" };

  new Deployment("chat", {
    spec: {
      selector: { matchLabels: labels },
      strategy: { type: "Recreate" },
      template: {
        metadata: { labels },
        spec: {
          // When EKS replaces this node, the pod stays Pending forever.
          nodeSelector: good
            ? { "nvidia.com/gpu.product": "NVIDIA-A10G" }
            : { "kubernetes.io/hostname": "ip-192-168-12-34.ap-northeast-2.compute.internal" },
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }],
          containers: [{ name: "chat", image: "vllm/vllm-openai:v0.11.0", resources: { limits } }],
        },
      },
    },
  });
}
