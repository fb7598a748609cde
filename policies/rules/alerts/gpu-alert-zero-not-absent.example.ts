import { CustomResource } from "@pulumi/kubernetes/apiextensions";

export function example(good: boolean) {
  const gpus = 'kube_node_status_allocatable{resource="nvidia_com_gpu"}';

  new CustomResource("gpu-alerts", {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { namespace: "monitoring" },
    spec: {
      groups: [
        {
          name: "gpu",
          // Does not fire: without a device plugin, the kubelet keeps the resource and sets it to 0.
          rules: good
            ? [{ alert: "GpusLost", expr: `${gpus} == 0`, for: "2m" }]
            : [{ alert: "GpusLost", expr: `absent(${gpus})`, for: "2m" }],
        },
      ],
    },
  });
}
