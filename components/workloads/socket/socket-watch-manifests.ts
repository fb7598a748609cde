import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { DaemonSetArgs } from "@pulumi/kubernetes/apps/v1/daemonSet";
import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type { core } from "@pulumi/kubernetes/types/input";
import type { Output } from "@pulumi/pulumi";
import type { WithDefaults } from "../../core/defaults";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { awaited, selectorLabels, workloadLabels } from "../shared/workload";
import { socketWatchJob } from "./socket-metrics";
import { normalPath, scratchDirectory } from "./socket-paths";
import type { socketWatchDefaults, SocketWatchArgs } from "./socket-watch-args";

/** The arguments of a SocketWatch with their defaults. */
export type SocketWatchSettings = WithDefaults<
  Omit<SocketWatchArgs, "cluster" | "transform">,
  typeof socketWatchDefaults
>;

const workload = socketWatchJob;
const portName = "metrics";
/** Where busybox's httpd looks for programs to run. */
const metricsPath = "/cgi-bin/metrics";

/**
 * The script that answers one request for metrics, as a CGI program of busybox's httpd. It looks at the paths when it is
 * called, so no answer is stale. Prometheus 3 rejects an answer without a content type that it knows.
 *
 * WATCHES holds pairs `path=place`: the path on the node, and the path in the container. Neither contains a space.
 * @see https://prometheus.io/docs/prometheus/latest/migration/#scrape-protocols
 */
export function script(name: string, { namespace }: SocketWatchSettings): ConfigMapArgs {
  return {
    metadata: { name, namespace, labels: workloadLabels(workload, name) },
    data: { metrics: readFileSync(join(__dirname, "scripts/socket-metrics.sh"), "utf8") },
  };
}

export function daemonSet(name: string, settings: SocketWatchSettings, scriptName: Output<string>): DaemonSetArgs {
  const labels = workloadLabels(workload, name);
  const mounts = directoriesOf(settings.paths);
  return {
    metadata: { name, namespace: settings.namespace, labels, ...awaited(settings.wait) },
    spec: {
      selector: { matchLabels: selectorLabels(workload, name) },
      template: {
        metadata: { labels },
        spec: {
          ...podBasics([]),
          // It watches nodes, so it stays on those that nothing else may run on.
          tolerations: [{ operator: "Exists" }],
          terminationGracePeriodSeconds: 5,
          containers: [container(settings, mounts)],
          volumes: [
            { name: "script", configMap: { name: scriptName, defaultMode: 0o555 } },
            ...mounts.map(({ name: volume, path, type }) => ({ name: volume, hostPath: { path, type } })),
          ],
        },
      },
    },
  };
}

/** A directory of the node, and where the container sees it. */
interface Mounted {
  readonly name: string;
  readonly path: string;
  readonly type: "Directory" | "DirectoryOrCreate";
  readonly mountPath: string;
}

/**
 * The directories that hold the sockets, each once. Never the sockets themselves: a socket that is mounted is the one
 * that was there when the pod started, and a missing one would be made, as a directory.
 */
function directoriesOf(paths: readonly string[]): Mounted[] {
  const directories = [...new Set(paths.map((path) => posix.dirname(normalPath(path))))];
  return directories.map((path, index) => ({
    name: `watched-${index}`,
    path,
    type: path === scratchDirectory ? "DirectoryOrCreate" : "Directory",
    mountPath: `/watched/${index}`,
  }));
}

/** `/run/containerd/containerd.sock=/watched/0/containerd.sock`, one for each path. */
function watches(paths: readonly string[], mounts: readonly Mounted[]): string {
  return paths
    .map(normalPath)
    .map((path) => {
      const mount = mounts.find((mounted) => mounted.path === posix.dirname(path));
      return `${path}=${mount?.mountPath}/${posix.basename(path)}`;
    })
    .join(" ");
}

function container(settings: SocketWatchSettings, mounts: readonly Mounted[]): core.v1.Container {
  const { image, port, paths } = settings;
  return {
    name: "watch",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["httpd", "-f", "-p", String(port), "-h", "/www"],
    env: [
      { name: "WATCHES", value: watches(paths, mounts) },
      { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ],
    ports: [{ name: portName, containerPort: port }],
    readinessProbe: { httpGet: { path: metricsPath, port: portName }, periodSeconds: 30, timeoutSeconds: 5 },
    resources: resources({ cpu: "5m", memory: "16Mi", memoryLimit: "32Mi" }),
    securityContext: leastRights,
    volumeMounts: [
      { name: "script", mountPath: "/www/cgi-bin", readOnly: true },
      ...mounts.map(({ name, mountPath }) => ({
        name,
        mountPath,
        readOnly: true,
        // The runtime keeps the file systems of containers below its directory. What it unmounts goes here too: a copy
        // that stayed would hold them.
        mountPropagation: "HostToContainer",
      })),
    ],
  };
}

/** Without an address of its own: Prometheus asks every pod. */
export function service(name: string, { namespace, port, wait }: SocketWatchSettings): ServiceArgs {
  return {
    metadata: { name, namespace, labels: workloadLabels(workload, name), ...awaited(wait) },
    spec: {
      clusterIP: "None",
      selector: selectorLabels(workload, name),
      ports: [{ name: portName, port, targetPort: portName }],
    },
  };
}

export function serviceMonitor(name: string, { namespace, monitorLabels }: SocketWatchSettings): CustomResourceArgs {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name, namespace, labels: { ...monitorLabels, ...workloadLabels(workload, name) } },
    spec: {
      // Its value is the job in `up{job="socket-watch"}`.
      jobLabel: "app.kubernetes.io/name",
      selector: { matchLabels: selectorLabels(workload, name) },
      // The metrics name their node themselves.
      endpoints: [{ port: portName, path: metricsPath, interval: "30s", honorLabels: true }],
    },
  };
}
