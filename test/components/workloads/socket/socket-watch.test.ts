import { readFileSync } from "node:fs";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import {
  SocketWatch,
  socketWatchProblems,
  type SocketWatchArgs,
} from "../../../../components/workloads/socket/socket-watch";
import { byName, ofType, only, plan } from "../../../support/plan";
import { expectOwned, planned } from "../support";

const daemonSetType = "kubernetes:apps/v1:DaemonSet";
const made = (args: SocketWatchArgs = {}) => planned((opts) => new SocketWatch("socket-watch", args, opts));
const labels = {
  "app.kubernetes.io/name": "socket-watch",
  "app.kubernetes.io/instance": "socket-watch",
  "app.kubernetes.io/part-of": "eks-gpu-lab",
  "app.kubernetes.io/managed-by": "pulumi",
};
const selector = { "app.kubernetes.io/name": "socket-watch", "app.kubernetes.io/instance": "socket-watch" };

interface Spec {
  readonly template: { readonly spec: { readonly volumes: readonly object[]; readonly containers: readonly object[] } };
}
async function podOf(args: SocketWatchArgs = {}) {
  return (only(await made(args), daemonSetType).inputs["spec"] as Spec).template.spec;
}

describe("by default", () => {
  test("every node has a pod that sees the runtime's directory, and can do nothing there", async () => {
    const recording = await made();
    expect(only(recording, daemonSetType).inputs).toEqual({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: {
        name: "socket-watch",
        namespace: "kube-system",
        labels,
        annotations: { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" },
      },
      spec: {
        selector: { matchLabels: selector },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            securityContext: {
              runAsNonRoot: true,
              runAsUser: 65532,
              runAsGroup: 65532,
              seccompProfile: { type: "RuntimeDefault" },
            },
            tolerations: [{ operator: "Exists" }],
            terminationGracePeriodSeconds: 5,
            containers: [
              {
                name: "watch",
                image:
                  "docker.io/library/busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0",
                imagePullPolicy: "IfNotPresent",
                command: ["httpd", "-f", "-p", "9750", "-h", "/www"],
                env: [
                  { name: "WATCHES", value: "/run/containerd/containerd.sock=/watched/0/containerd.sock" },
                  { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                ],
                ports: [{ name: "metrics", containerPort: 9750 }],
                readinessProbe: {
                  httpGet: { path: "/cgi-bin/metrics", port: "metrics" },
                  periodSeconds: 30,
                  timeoutSeconds: 5,
                },
                resources: { requests: { cpu: "5m", memory: "16Mi" }, limits: { memory: "32Mi" } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  capabilities: { drop: ["ALL"] },
                  readOnlyRootFilesystem: true,
                },
                volumeMounts: [
                  { name: "script", mountPath: "/www/cgi-bin", readOnly: true },
                  {
                    name: "watched-0",
                    mountPath: "/watched/0",
                    readOnly: true,
                    mountPropagation: "HostToContainer",
                  },
                ],
              },
            ],
            volumes: [
              { name: "script", configMap: { name: "socket-watch", defaultMode: 0o555 } },
              { name: "watched-0", hostPath: { path: "/run/containerd", type: "Directory" } },
            ],
          },
        },
      },
    });
  });

  test("the script is a ConfigMap; nothing asks for Prometheus", async () => {
    const recording = await made();
    expect(byName(recording, "socket-watch-script").inputs).toMatchObject({
      data: { metrics: readFileSync("components/workloads/socket/scripts/socket-metrics.sh", "utf8") },
    });
    expect(recording.resources.map(({ name }) => name)).not.toContain("socket-watch-monitor");
    expect(ofType(recording, "kubernetes:core/v1:Service")).toEqual([]);
  });

  test("all of it is its own", () =>
    expectOwned(
      "socket-watch",
      (opts, cluster) => new SocketWatch("socket-watch", { cluster, serviceMonitor: true }, opts),
    ));
});

describe("what the arguments change", () => {
  test("sockets of one directory share a mount; no socket is ever mounted itself", async () => {
    const paths = [
      "/run/containerd/containerd.sock",
      "/var/run/containerd/x.sock",
      "/run/eks-gpu-lab/runtime.sock",
      "/var/lib/kubelet/device-plugins/kubelet.sock",
    ];
    const { volumes, containers } = await podOf({ paths });
    expect(volumes.slice(1)).toEqual([
      { name: "watched-0", hostPath: { path: "/run/containerd", type: "Directory" } },
      { name: "watched-1", hostPath: { path: "/run/eks-gpu-lab", type: "DirectoryOrCreate" } },
      { name: "watched-2", hostPath: { path: "/var/lib/kubelet/device-plugins", type: "Directory" } },
    ]);
    expect(containers[0]).toMatchObject({
      env: [
        {
          value:
            "/run/containerd/containerd.sock=/watched/0/containerd.sock /run/containerd/x.sock=/watched/0/x.sock /run/eks-gpu-lab/runtime.sock=/watched/1/runtime.sock /var/lib/kubelet/device-plugins/kubelet.sock=/watched/2/kubelet.sock",
        },
        {},
      ],
    });
  });

  test("Prometheus finds it by a ServiceMonitor, as the job socket-watch", async () => {
    const recording = await made({ serviceMonitor: true, monitorLabels: { release: "monitoring" }, port: 9100 });
    expect(byName(recording, "socket-watch-service").inputs).toMatchObject({
      metadata: { labels },
      spec: { clusterIP: "None", selector, ports: [{ name: "metrics", port: 9100 }] },
    });
    expect(byName(recording, "socket-watch-monitor").inputs).toEqual({
      apiVersion: "monitoring.coreos.com/v1",
      kind: "ServiceMonitor",
      metadata: { name: "socket-watch", namespace: "kube-system", labels: { ...labels, release: "monitoring" } },
      spec: {
        jobLabel: "app.kubernetes.io/name",
        selector: { matchLabels: selector },
        endpoints: [{ port: "metrics", path: "/cgi-bin/metrics", interval: "30s", honorLabels: true }],
      },
    });
  });

  test("transform adjusts each of the four", async () => {
    const other = { metadata: { name: "other" } };
    const transform = { daemonSet: other, script: { data: {} }, service: other, serviceMonitor: other };
    const recording = await made({ serviceMonitor: true, transform });
    for (const name of ["socket-watch", "socket-watch-service", "socket-watch-monitor"]) {
      const [resource] = recording.resources.filter((made) => made.name === name && made.custom);
      expect(resource?.inputs).toMatchObject(other);
    }
    expect(byName(recording, "socket-watch-script").inputs).toMatchObject({ data: {} });
  });
});

test("its output reads every node", async () => {
  const { outputs } = await plan(() => {
    const watch = new SocketWatch("socket-watch", {}, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
    return { ...watch.commands };
  });
  expect(outputs).toEqual({
    metrics:
      "kubectl get pods -n kube-system -l app.kubernetes.io/instance=socket-watch -o name | xargs -I{} kubectl exec -n kube-system {} -- /www/cgi-bin/metrics",
  });
});

describe("what is wrong", () => {
  test.for([
    [{}, []],
    [{ namespace: pulumi.output("monitoring") }, []],
    [{ paths: [] }, ["paths"]],
    [{ paths: Array.from({ length: 21 }, (_, i) => `/run/a/${i}`) }, ["paths"]],
    [{ paths: "/run/a/b" }, ["paths"]],
    [{ paths: ["/run/a/b", "run/a", "/var/run/a/b"] }, ["paths[1]", "paths[2]"]],
    [{ paths: ["/containerd.sock"] }, ["paths[0]"]],
    [{ port: 0, serviceMonitor: "yes", wait: null }, ["port", "serviceMonitor"]],
    [{ monitorLabels: { "a b": "c", d: 1 } }, ['monitorLabels["a b"]', 'monitorLabels["d"]']],
    [{ monitorLabels: [] }, ["monitorLabels"]],
    [{ image: "busybox" }, ["image"]],
    [{ taints: [] }, ["taints"]],
  ])("%j", ([args, paths]) => {
    expect(socketWatchProblems(args as SocketWatchArgs).map(({ path }) => path)).toEqual(paths);
  });

  test.for([undefined, null, 5, []])("garbage %# gives a problem", (args) => {
    expect(socketWatchProblems(args as unknown as SocketWatchArgs)).toMatchObject([{ path: "args" }]);
  });
});
