import * as pulumi from "@pulumi/pulumi";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import { serviceName } from "../../core/kubernetes-names";
import { problemsIn, resolveArgs } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { makeScript, workloadOptions } from "../shared/workload";
import { daemonSet, script, service, serviceMonitor } from "./socket-watch-manifests";
import {
  socketWatch,
  type SocketWatchArgs,
  type SocketWatchSettings,
  type SocketWatchTransform,
} from "./socket-watch-schema";

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
  settings: SocketWatchSettings,
  transform: SocketWatchTransform | undefined,
  options: pulumi.CustomResourceOptions,
): void {
  new Service(...transformed(transform?.service, `${name}-service`, service(name, settings), options));
  const monitor = serviceMonitor(name, settings);
  new CustomResource(...transformed(transform?.serviceMonitor, `${name}-monitor`, monitor, options));
}
