import { CustomResource } from "@pulumi/kubernetes/apiextensions";

const gpus = 'kube_node_status_allocatable{resource="nvidia_com_gpu"}';

new CustomResource("gpu-alerts", {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: { namespace: "monitoring" },
  spec: {
    groups: [
      {
        name: "gpu",
        rules: [{ alert: "GpusLost", expr: `${gpus} == 0`, for: "2m" }],
      },
    ],
  },
});
