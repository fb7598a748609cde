import { NodeGroup } from "@pulumi/aws/eks";
import { Deployment } from "@pulumi/kubernetes/apps/v1";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new NodeGroup("gpu", gpuNodes);

  const labels = { app: "chat" };
  new Deployment("chat", {
    metadata: { namespace: "shop" },
    spec: {
      selector: { matchLabels: labels },
      strategy: { type: "Recreate" },
      template: {
        metadata: { labels },
        spec: {
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          containers: [
            {
              name: "vllm",
              image: "docker.io/vllm/vllm-openai:v0.11.0",
              // Without the second flag, one request of 131,072 tokens must fit: 16 GiB in addition to the weights of 15 GiB.
              args: ["--model=meta-llama/Llama-3.1-8B-Instruct", ...(good ? ["--max-model-len=8192"] : [])],
              resources: { requests: { cpu: "2" }, limits: { memory: "12Gi", "nvidia.com/gpu": "1" } },
            },
          ],
        },
      },
    },
  });
}
