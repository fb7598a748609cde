import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { DaemonSetArgs } from "@pulumi/kubernetes/apps/v1/daemonSet";
import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import * as v from "valibot";
import { labels, namespace } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf } from "../../core/schema";
import { transformOf, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { image, port } from "../shared/container-schema";
import { objectArgs } from "../shared/workload";
import { normalPath } from "../../core/host-paths";
import { socketPath } from "./socket-paths";

/** Adjusts each underlying resource before it is made. */
export interface SocketWatchTransform {
  readonly daemonSet?: Transform<DaemonSetArgs>;
  readonly script?: Transform<ConfigMapArgs>;
  readonly service?: Transform<ServiceArgs>;
  readonly serviceMonitor?: Transform<CustomResourceArgs>;
}

const containerdSocket = "/run/containerd/containerd.sock";
const mostPaths = 20;

/** The sockets to watch. */
const paths = v.pipe(s.list(socketPath(), `["${containerdSocket}"]`), s.check(pathConflicts));

function pathConflicts(given: readonly string[], path: string): Problem[] {
  if (given.length < 1 || given.length > mostPaths) {
    const fix = `set ${path} to a list such as ["${containerdSocket}"]`;
    return [{ code: "out-of-range", path, got: given, why: `Must have 1 to ${mostPaths} paths.`, fix }];
  }
  const normal = given.map(normalPath);
  return given.flatMap((got, index): Problem[] => {
    const first = normal.indexOf(normalPath(got));
    if (first === index) return [];
    const repeated = `${path}[${index}]`;
    const why = `Must not repeat ${path}[${first}].`;
    return [{ code: "conflict", path: repeated, got, why, fix: `remove ${repeated}` }];
  });
}

/** Arguments of a SocketWatch. */
export const socketWatch = s.section({
  ...objectArgs.entries,
  /**
   * Namespace of the objects. It must exist: the watch does not create it.
   * @default "kube-system" - the pods read a directory of the container runtime, as system components do
   */
  namespace: s.optional(namespace(), "kube-system"),
  /**
   * Paths of the sockets on the nodes, 1 to 20. The pod mounts the directory of each, read-only. The directory must exist,
   * except /run/eks-gpu-lab, which is created.
   *
   * @default ["/run/containerd/containerd.sock"] - the socket of the container runtime
   */
  paths: s.optional(paths, [containerdSocket]),
  /** TCP port of the metrics, 1 to 65535. @default 9750 - no common exporter uses it */
  port: s.optional(port(), 9750),
  /**
   * Whether to create a ServiceMonitor, so that Prometheus scrapes the watch as `up{job="socket-watch"}`. Its CRD must be
   * in the cluster.
   *
   * @default false - the cluster may have no Prometheus Operator
   */
  serviceMonitor: s.optional(s.flag(), false),
  /**
   * Labels by which Prometheus selects the ServiceMonitor, such as `{ release: "monitoring" }`.
   * @default {} - for a Prometheus that selects all
   */
  monitorLabels: s.optional(labels('{ release: "monitoring" }'), {}),
  /**
   * Image with busybox's sh and httpd, by exact tag or digest.
   * @default "docker.io/library/busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0" - 2 MB
   */
  image: s.optional(image(), workloadImages.busybox),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(
    transformOf<SocketWatchTransform>({ daemonSet: true, script: true, service: true, serviceMonitor: true }),
  ),
});

export interface SocketWatchArgs extends Readonly<GivenOf<typeof socketWatch>> {}

export const socketWatchDefaults = defaultsOf(socketWatch);

/** Every problem in the arguments of a SocketWatch. `at` is the prefix of the paths. */
export function socketWatchProblems(args: SocketWatchArgs, at = ""): readonly Problem[] {
  return problemsIn(socketWatch, args, at);
}
