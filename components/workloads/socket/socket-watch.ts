import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import { DaemonSet, type DaemonSetArgs } from "@pulumi/kubernetes/apps/v1/daemonSet";
import { Service, type ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { core } from "@pulumi/kubernetes/types/input";
import { normalPath } from "../../core/host-paths";
import { serviceName } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs, type ValueOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { leastRights, podBasics, resources } from "../shared/gpu-pod";
import { serviceMonitor } from "../shared/service-monitor";
import { makeScript, workloadOptions, awaited, selectorLabels, workloadLabels } from "../shared/workload";
import { socketWatchJob } from "./socket-metrics";
import { scratchDirectory } from "./socket-paths";
import { socketWatch, type SocketWatchArgs, type SocketWatchTransform } from "./socket-watch-schema";

type Settings = Omit<ValueOf<typeof socketWatch>, "cluster" | "transform">;

const workload = socketWatchJob;
const portName = "metrics";
/** busybox's httpd runs programs below /cgi-bin. */
const metricsPath = "/cgi-bin/metrics";

/** Commands that show the results of a watch. */
export interface SocketWatchCommands {
  /** The metrics of every node, without Prometheus. */
  readonly metrics: pulumi.Output<string>;
}

/**
 * Reports to Prometheus what exists at the path of a socket on each node: a socket, a directory in its place, or
 * nothing. A directory at this path prevents the container runtime from starting, and nothing else in the cluster
 * reports the directory.
 *
 * A DaemonSet runs it without privileges on every node, regardless of the node's taints. As the user `nobody` it can look
 * up names in `/run/containerd`, because containerd makes that directory searchable for all users (0711); it can
 * neither list the directory nor connect to the socket. If the directory is closed, or SELinux denies access, the state
 * is `unreadable`.
 *
 * The script is tested with real sockets and directories. It has not run with busybox's httpd, nor on a node.
 *
 * @see https://github.com/containerd/containerd/blob/v2.1.4/cmd/containerd/server/server.go
 * @cost No additional charge. It uses 5m CPU and 16 MiB of every node.
 * @throws InputError with every problem of the arguments, before any resource is made.
 */
export class SocketWatch extends pulumi.ComponentResource {
  readonly daemonSetName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: SocketWatchCommands;

  constructor(name: string, args: SocketWatchArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `SocketWatch "${name}"`;
    const named = problemsIn(serviceName(), name, "name");
    const { cluster, transform, ...settings } = resolveArgs(subject, socketWatch, args, named);
    super(token("SocketWatch"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const scripts = makeScript(name, script(name, settings), transform?.script, options);
    const manifest = daemonSet(name, settings, scripts.metadata.name);
    const created = new DaemonSet(...transformed(transform?.daemonSet, name, manifest, options));
    if (settings.serviceMonitor) makeServiceMonitor(name, settings, transform, options);

    this.daemonSetName = created.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    const own = pulumi.interpolate`-n ${this.namespace} -l app.kubernetes.io/instance=${name}`;
    this.commands = {
      metrics: pulumi.interpolate`kubectl get pods ${own} -o name | xargs -I{} kubectl exec -n ${this.namespace} {} -- /www/cgi-bin/metrics`,
    };
    const { daemonSetName, namespace, commands } = this;
    this.registerOutputs({ daemonSetName, namespace, commands });
  }
}

function makeServiceMonitor(
  name: string,
  settings: Settings,
  transform: SocketWatchTransform | undefined,
  options: pulumi.CustomResourceOptions,
): void {
  new Service(...transformed(transform?.service, `${name}-service`, service(name, settings), options));
  // The metrics have a label for their node.
  const endpoint = { port: portName, path: metricsPath, interval: "30s", honorLabels: true };
  const monitor = serviceMonitor(workload, name, { ...settings, endpoint });
  new CustomResource(...transformed(transform?.serviceMonitor, `${name}-monitor`, monitor, options));
}

/**
 * The script that answers one request for metrics, as a CGI program of busybox's httpd. It reads the paths for each
 * request, so no answer is stale. Prometheus 3 rejects an answer without a content type that it knows.
 *
 * WATCHES contains pairs `path=place`: the path on the node, and the path in the container. Neither contains a space.
 * @see https://prometheus.io/docs/prometheus/latest/migration/#scrape-protocols
 */
function script(name: string, { namespace }: Settings): ConfigMapArgs {
  return {
    metadata: { name, namespace, labels: workloadLabels(workload, name) },
    data: { metrics: readFileSync(join(__dirname, "scripts/socket-metrics.sh"), "utf8") },
  };
}

function daemonSet(name: string, settings: Settings, scriptName: pulumi.Output<string>): DaemonSetArgs {
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
          // It watches every node, regardless of its taints.
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

/** A directory of the node, and its path in the container. */
interface MountedDirectory {
  readonly name: string;
  readonly path: string;
  readonly type: "Directory" | "DirectoryOrCreate";
  readonly mountPath: string;
}

/**
 * The directories of the sockets, each once. Not the sockets themselves: a mounted socket stays the one that existed when
 * the pod started, and for a missing socket the runtime would create a directory.
 */
function directoriesOf(paths: readonly string[]): MountedDirectory[] {
  const directories = [...new Set(paths.map((path) => posix.dirname(normalPath(path))))];
  return directories.map((path, index) => ({
    name: `watched-${index}`,
    path,
    type: path === scratchDirectory ? "DirectoryOrCreate" : "Directory",
    mountPath: `/watched/${index}`,
  }));
}

/** One `/run/containerd/containerd.sock=/watched/0/containerd.sock` for each path. */
function watches(paths: readonly string[], mounts: readonly MountedDirectory[]): string {
  return paths
    .map(normalPath)
    .map((path) => {
      const mount = mounts.find((mounted) => mounted.path === posix.dirname(path));
      return `${path}=${mount?.mountPath}/${posix.basename(path)}`;
    })
    .join(" ");
}

function container(settings: Settings, mounts: readonly MountedDirectory[]): core.v1.Container {
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
        // The runtime mounts the file systems of containers below its directory. With propagation they are unmounted here
        // too, and are not kept busy.
        mountPropagation: "HostToContainer",
      })),
    ],
  };
}

/** A headless Service: Prometheus scrapes every pod. */
function service(name: string, { namespace, port, wait }: Settings): ServiceArgs {
  return {
    metadata: { name, namespace, labels: workloadLabels(workload, name), ...awaited(wait) },
    spec: {
      clusterIP: "None",
      selector: selectorLabels(workload, name),
      ports: [{ name: portName, port, targetPort: portName }],
    },
  };
}
