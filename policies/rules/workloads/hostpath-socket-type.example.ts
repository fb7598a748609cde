import { DaemonSet } from "@pulumi/kubernetes/apps/v1";

export function example(good: boolean) {
  const labels = { app: "cadvisor" };

  new DaemonSet("cadvisor", {
    metadata: { namespace: "kube-system" },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "cadvisor",
              image: "gcr.io/cadvisor/cadvisor:v0.52.1",
              volumeMounts: [{ name: "containerd", mountPath: "/run/containerd/containerd.sock" }],
            },
          ],
          // If containerd restarts now, a directory takes the place of its socket, and containerd cannot start.
          volumes: good
            ? [{ name: "containerd", hostPath: { path: "/run/containerd/containerd.sock", type: "Socket" } }]
            : [{ name: "containerd", hostPath: { path: "/run/containerd/containerd.sock" } }],
        },
      },
    },
  });
}
