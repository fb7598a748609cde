import { readFileSync } from "node:fs";
import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { workloadImages } from "../../../../components/core/versions";
import { SocketWatch } from "../../../../components/workloads/socket/socket-watch";
import { socketWatchProblems, type SocketWatchArgs } from "../../../../components/workloads/socket/socket-watch-schema";
import { byName, ofType, only, plan } from "../../../support/plan";
import { testProblems, type WrongCase } from "../../../support/problems";
import { planned } from "../support";

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
  test("every node has a pod without rights that mounts the runtime's directory", async () => {
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
                image: workloadImages.busybox,
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

  test("the script is a ConfigMap; there is no ServiceMonitor", async () => {
    const recording = await made();
    expect(byName(recording, "socket-watch-script").inputs).toMatchObject({
      data: { metrics: readFileSync("components/workloads/socket/scripts/socket-metrics.sh", "utf8") },
    });
    expect(recording.resources.map(({ name }) => name)).not.toContain("socket-watch-monitor");
    expect(ofType(recording, "kubernetes:core/v1:Service")).toEqual([]);
  });
});

describe("what the arguments change", () => {
  test("sockets of one directory share a mount; no socket is mounted itself", async () => {
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

describe("problems", () => {
  const wrong: readonly WrongCase[] = [
    [{ paths: [] }, "out-of-range paths"],
    [{ paths: Array.from({ length: 21 }, (_, i) => `/run/a/${i}`) }, "out-of-range paths"],
    [{ paths: "/run/a/b" }, "wrong-type paths"],
    [{ paths: ["/run/a/b", "run/a", "/containerd.sock"] }, ["not-allowed paths[1]", "not-allowed paths[2]"]],
    [{ paths: ["/run/a/b", "/run/a/c", "/var/run/a/b"] }, "conflict paths[2]"],
    [
      { port: 0, serviceMonitor: "yes", wait: null },
      ["wrong-type wait", "out-of-range port", "wrong-type serviceMonitor"],
    ],
    [{ monitorLabels: { "a b": "c" } }, 'not-allowed monitorLabels["a b"]'],
    [{ monitorLabels: { d: 1 } }, "wrong-type monitorLabels.d"],
    [{ monitorLabels: [] }, "wrong-type monitorLabels"],
    [{ image: "busybox" }, "version image"],
    [{ taints: [] }, "unknown-key taints"],
  ];
  const problemsOf = (args: unknown) => socketWatchProblems(args as SocketWatchArgs);

  testProblems(problemsOf, wrong);

  test.for([{}, { namespace: pulumi.output("monitoring") }])("none %#", (args) => {
    expect(problemsOf(args)).toEqual([]);
  });
});
