import * as pulumi from "@pulumi/pulumi";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import { withDefaults } from "../../core/defaults";
import { refuse } from "../../core/problems";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { serviceNameProblems } from "../shared/names";
import { workloadOptions } from "../shared/workload";
import {
  socketWatchDefaults,
  socketWatchProblems,
  type SocketWatchArgs,
  type SocketWatchTransform,
} from "./socket-watch-args";
import { daemonSet, script, service, serviceMonitor } from "./socket-watch-manifests";

export { socketStateMetric, socketStates } from "./socket-metrics";
export { socketWatchDefaults, socketWatchProblems, type SocketWatchArgs, type SocketWatchTransform };

/** Commands that show what a watch sees. */
export interface SocketWatchCommands {
  /** The metrics of every node, without Prometheus. */
  readonly metrics: pulumi.Output<string>;
}

/**
 * Tells Prometheus what stands at the path of a socket on each node: a socket, a directory in its place, or nothing. A
 * directory there is what keeps a container runtime from starting, and nothing else in the cluster reports it.
 *
 * A DaemonSet on every node, whatever its taints, with no rights there: as nobody it sees the names in `/run/containerd`
 * because containerd makes that directory passable for all (0711), and can neither list nor connect. A node whose
 * directory is closed, or whose SELinux forbids it, counts as `unreadable`.
 *
 * The script is proved with real sockets and directories; with busybox's httpd, and on a node, it has not run.
 *
 * @see https://github.com/containerd/containerd/blob/v2.1.4/cmd/containerd/server/server.go
 * @cost No charge of its own. 5m CPU and 16 MiB of every node.
 * @throws InputError before anything is made, with every problem of the arguments.
 */
export class SocketWatch extends pulumi.ComponentResource {
  readonly daemonSetName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly commands: SocketWatchCommands;

  constructor(name: string, args: SocketWatchArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `SocketWatch "${name}"`;
    refuse(subject, [...serviceNameProblems("name", name), ...socketWatchProblems(args)]);
    const { cluster, transform, ...stated } = args;
    const settings = withDefaults(stated, socketWatchDefaults);
    super(token("SocketWatch"), name, settings, opts);
    const options = workloadOptions(subject, this, opts, cluster);

    const looks = script(name, settings);
    const mounted = new ConfigMap(
      // A ConfigMap that changes is made anew, and there can be one of a name.
      ...transformed(transform?.script, `${name}-script`, looks, { ...options, deleteBeforeReplace: true }),
    );
    const pods = daemonSet(name, settings, mounted.metadata.name);
    const made = new DaemonSet(...transformed(transform?.daemonSet, name, pods, options));
    if (settings.serviceMonitor) {
      new Service(...transformed(transform?.service, `${name}-service`, service(name, settings), options));
      const monitor = serviceMonitor(name, settings);
      new CustomResource(...transformed(transform?.serviceMonitor, `${name}-monitor`, monitor, options));
    }

    this.daemonSetName = made.metadata.name;
    this.namespace = pulumi.output(settings.namespace);
    const own = pulumi.interpolate`-n ${this.namespace} -l app.kubernetes.io/instance=${name}`;
    this.commands = {
      metrics: pulumi.interpolate`kubectl get pods ${own} -o name | xargs -I{} kubectl exec -n ${this.namespace} {} -- /www/cgi-bin/metrics`,
    };
    this.registerOutputs({
      daemonSetName: this.daemonSetName,
      namespace: this.namespace,
      commands: this.commands,
    });
  }
}
