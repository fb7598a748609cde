import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { DaemonSetArgs } from "@pulumi/kubernetes/apps/v1/daemonSet";
import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import type { Input } from "@pulumi/pulumi";
import { isPlainObject, join, keysOf, noObject, onlyKeys, trueOrFalse, wholeNumber } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { transformProblems, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { labelValue, qualifiedName } from "../../nodes/checks";
import { textsProblems } from "../shared/amounts";
import { imageProblems } from "../shared/images";
import { namespaceProblems } from "../shared/names";
import { workloadDefaults, workloadKeys, type WorkloadArgs } from "../shared/workload";
import { normalPath, pathProblems } from "./socket-paths";

export interface SocketWatchArgs extends Omit<WorkloadArgs, "taints"> {
  /**
   * Namespace of the objects. It must be there: the watch makes none.
   * @default "kube-system" - it looks into a directory that the node lives by, which is no ordinary pod's business
   */
  readonly namespace?: Input<string>;
  /**
   * Paths of the sockets on the nodes, 1 to 20. The directory of each is mounted, read-only; it must be there, but for
   * /run/eks-gpu-lab, which is made.
   * @default ["/run/containerd/containerd.sock"] - the container runtime's
   */
  readonly paths?: readonly string[];
  /** TCP port of the metrics, 1 to 65535. @default 9750 - free among the usual exporters */
  readonly port?: number;
  /**
   * Whether a ServiceMonitor points Prometheus at the watch, which then counts it in `up{job="socket-watch"}`. Its CRD
   * must be in the cluster.
   * @default false - the cluster may have no Prometheus Operator
   */
  readonly serviceMonitor?: boolean;
  /**
   * Labels by which Prometheus picks the ServiceMonitor, such as `{ release: "monitoring" }`.
   * @default {} - for a Prometheus that takes them all
   */
  readonly monitorLabels?: Readonly<Record<string, string>>;
  /**
   * Image with busybox's sh and httpd, by exact tag or digest.
   * @default "docker.io/library/busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0" - 2 MB
   */
  readonly image?: string;
  /** Adjusts the underlying resources. @default none - they are made as described */
  readonly transform?: SocketWatchTransform;
}

/** Adjusts each underlying resource before it is made. */
export interface SocketWatchTransform {
  readonly daemonSet?: Transform<DaemonSetArgs>;
  readonly script?: Transform<ConfigMapArgs>;
  readonly service?: Transform<ServiceArgs>;
  readonly serviceMonitor?: Transform<CustomResourceArgs>;
}

export const socketWatchDefaults = {
  namespace: "kube-system",
  wait: workloadDefaults.wait,
  paths: ["/run/containerd/containerd.sock"],
  port: 9750,
  serviceMonitor: false,
  monitorLabels: {},
  image: workloadImages.busybox,
} as const;

const { namespace, wait, cluster } = workloadKeys;
const socketWatchKeys = keysOf<SocketWatchArgs>({
  ...{ namespace, wait, cluster },
  paths: true,
  port: true,
  serviceMonitor: true,
  monitorLabels: true,
  image: true,
  transform: true,
});

const transformKeys = keysOf<SocketWatchTransform>({
  daemonSet: true,
  script: true,
  service: true,
  serviceMonitor: true,
});

type Given = Readonly<Record<string, unknown>>;

/** Everything that is wrong with the arguments of a SocketWatch. `at` leads the paths. */
export function socketWatchProblems(args: SocketWatchArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Given = withDefaults(args, socketWatchDefaults);
  return [
    ...onlyKeys(at, args, socketWatchKeys),
    ...namespaceProblems(join(at, "namespace"), given["namespace"]),
    ...trueOrFalse(join(at, "wait"), given["wait"]),
    ...watchedProblems(join(at, "paths"), given["paths"]),
    ...wholeNumber(join(at, "port"), given["port"], { min: 1, max: 65_535 }),
    ...trueOrFalse(join(at, "serviceMonitor"), given["serviceMonitor"]),
    ...labelsProblems(join(at, "monitorLabels"), given["monitorLabels"]),
    ...imageProblems(join(at, "image"), given["image"]),
    ...transformProblems(join(at, "transform"), args.transform, transformKeys),
  ];
}

function watchedProblems(path: string, got: unknown): Problem[] {
  const wrong = textsProblems(path, got, '["/run/containerd/containerd.sock"]');
  if (wrong.length > 0) return wrong;
  const paths = got as readonly string[];
  if (paths.length < 1 || paths.length > 20) {
    const fix = `set ${path} to a list such as ["/run/containerd/containerd.sock"]`;
    return [{ code: "out-of-range", path, got, why: "It must have 1 to 20 paths.", fix }];
  }
  const short = paths.map(normalPath);
  return paths.flatMap((item, index): Problem[] => {
    const at = `${path}[${index}]`;
    if (short.indexOf(normalPath(item)) === index) return pathProblems(at, item);
    return [{ code: "conflict", path: at, got: item, why: "It is watched already.", fix: `remove ${at}` }];
  });
}

/** Labels of an object or a node. */
export function labelsProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to labels such as { release: "monitoring" }`;
  if (!isPlainObject(got)) return [{ code: "wrong-type", path, got, why: "It must be an object of texts.", fix }];
  return Object.entries(got).flatMap(([key, value]) => [
    ...qualifiedName(key, `${path}["${key}"]`),
    ...labelValue(value, `${path}["${key}"]`),
  ]);
}
