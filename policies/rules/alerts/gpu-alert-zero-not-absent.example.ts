import { CustomResource } from "@pulumi/kubernetes/apiextensions";

export function bad() {
  const gpus = 'kube_node_status_allocatable{resource="nvidia_com_gpu"}';

  new CustomResource("gpu-alerts", {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { namespace: "monitoring" },
    spec: {
      groups: [
        {
          name: "gpu",
          // Does not fire: without a device plugin the kubelet keeps the resource and sets it to 0.
          rules: [{ alert: "GpusLost", expr: `absent(${gpus})`, for: "2m" }],
        },
      ],
    },
  });
}

export function good() {
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
}
