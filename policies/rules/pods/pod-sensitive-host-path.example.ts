import { Pod } from "@pulumi/kubernetes/core/v1";

export function example(good: boolean) {
  const command = ["sh", "-c", "while sleep 1h; do find /scratch -type f -mtime +7 -delete; done"];
  const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];

  new Pod("cleanup", {
    spec: {
      containers: [{ name: "cleanup", image: "busybox:1.37.0", command, volumeMounts }],
      // Volumes of running pods are mounted below it: a database loses its files.
      volumes: good
        ? [{ name: "scratch", hostPath: { path: "/mnt/scratch", type: "Directory" } }]
        : [{ name: "scratch", hostPath: { path: "/var/lib/kubelet/pods", type: "Directory" } }],
    },
  });
}
