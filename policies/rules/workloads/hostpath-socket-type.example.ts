import { Pod } from "@pulumi/kubernetes/core/v1";

export function example(good: boolean) {
  const volumeMounts = [{ name: "containerd", mountPath: "/run/containerd/containerd.sock" }];

  new Pod("cadvisor", {
    metadata: { namespace: "kube-system" },
    spec: {
      containers: [{ name: "cadvisor", image: "gcr.io/cadvisor/cadvisor:v0.52.1", volumeMounts }],
      // If containerd restarts now, a directory takes the place of its socket, and containerd cannot start.
      volumes: good
        ? [{ name: "containerd", hostPath: { path: "/run/containerd/containerd.sock", type: "Socket" } }]
        : [{ name: "containerd", hostPath: { path: "/run/containerd/containerd.sock" } }],
    },
  });
}
