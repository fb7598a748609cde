import * as semver from "semver";
import { isRecord, ownValue } from "../../components/core/reader/records";
import {
  clusterAutoscalerChart,
  efaDevicePluginChart,
  gpuOperatorChart,
  kubePrometheusStackChart,
  kueueChart,
  loadBalancerControllerChart,
} from "../../components/core/versions";
import type { Properties } from "../../components/core/wire";
import { valuesAt } from "../../components/core/reader/paths";
import type { PodRequirements } from "../aws/eks/nodes/nodes";
import releases from "./chart-releases.json";

/** A Helm chart. */
interface Chart {
  /** As the repository writes them, oldest first. */
  readonly versions: readonly string[];
  /** The list is complete from this version to its last one. @default none - any other exact version may exist */
  readonly completeFrom?: string;
  /** Kinds of custom resources that the chart installs, as `group/Kind`. */
  readonly customKinds?: readonly string[];
  /** Objects that its release contains. @default none - the simulation does not need them */
  readonly objects?: readonly ChartObject[];
  /** Paths of the values that place its controllers on nodes. @default [""] - the top level of the values */
  readonly controllers?: readonly string[];
  /** Node requirements of the Job that the uninstall runs; undefined when it runs none. */
  readonly uninstallJob?: (values: Properties) => PodRequirements | undefined;
  /** Whether the chart contains only DaemonSets, so that Helm does not wait for a node. */
  readonly daemonSetsOnly?: boolean;
}

/** An object of a chart. Its release has its fixed name. */
interface ChartObject {
  /** E.g. `apps/v1:Deployment`. */
  readonly kind: string;
  readonly name: string;
  /** @default true - it is in the namespace of the release */
  readonly namespaced?: boolean;
}

/**
 * When the chart is uninstalled, a Job removes the labels of Node Feature Discovery, or the operator's custom resources.
 * @see https://github.com/kubernetes-sigs/node-feature-discovery/blob/master/deployment/helm/node-feature-discovery/templates/post-delete-job.yaml
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/templates/cleanup_crd.yaml
 */
function gpuOperatorCleanupJob(values: Properties): PodRequirements | undefined {
  if (valuesAt(values, "operator.cleanupCRD")[0] === true) return requirementsAt(values, "operator");
  const prunes = valuesAt(values, "node-feature-discovery.postDeleteCleanup")[0] !== false;
  const installed = valuesAt(values, "nfd.enabled")[0] !== false;
  return prunes && installed ? requirementsAt(values, "node-feature-discovery.master") : undefined;
}

const charts: Readonly<Record<string, Chart>> = {
  [gpuOperatorChart.name]: {
    versions: withPinned(releases.gpuOperator, gpuOperatorChart),
    completeFrom: "v24.3.0",
    customKinds: ["nvidia.com/ClusterPolicy", "nvidia.com/NVIDIADriver"],
    objects: [
      { kind: "nvidia.com/v1:ClusterPolicy", name: "cluster-policy", namespaced: false },
      { kind: "apps/v1:Deployment", name: "gpu-operator" },
    ],
    controllers: ["operator", "node-feature-discovery.master", "node-feature-discovery.gc"],
    uninstallJob: gpuOperatorCleanupJob,
  },
  [loadBalancerControllerChart.name]: {
    versions: withPinned(releases.loadBalancerController, loadBalancerControllerChart),
    completeFrom: "1.14.0",
    customKinds: ["elbv2.k8s.aws/TargetGroupBinding", "elbv2.k8s.aws/IngressClassParams"],
  },
  [clusterAutoscalerChart.name]: { versions: [clusterAutoscalerChart.version] },
  [kubePrometheusStackChart.name]: {
    versions: withPinned(releases.kubePrometheusStack, kubePrometheusStackChart),
    customKinds: ["Alertmanager", "PodMonitor", "Probe", "Prometheus", "PrometheusRule", "ServiceMonitor"].map(
      (kind) => `monitoring.coreos.com/${kind}`,
    ),
    controllers: ["prometheusOperator"],
  },
  [efaDevicePluginChart.name]: {
    versions: withPinned(releases.efaDevicePlugin, efaDevicePluginChart),
    daemonSetsOnly: true,
  },
  [kueueChart.name]: {
    versions: [kueueChart.version],
    customKinds: ["ClusterQueue", "LocalQueue", "ResourceFlavor", "Workload"].map((kind) => `kueue.x-k8s.io/${kind}`),
    controllers: ["controllerManager"],
  },
  "nvidia-device-plugin": { versions: [], daemonSetsOnly: true },
};

/** Releases of a chart with the pinned one, oldest first. */
function withPinned(versions: readonly string[], { version }: { readonly version: string }): string[] {
  return semver.sort([...new Set([...versions, version])]);
}

/** The name of a chart: `gpu-operator` for `nvidia/gpu-operator` and `oci://…/gpu-operator`. */
export function chartName(chart: string): string {
  return chart.split("/").at(-1) ?? chart;
}

/** What the simulation knows of a chart. */
export function chartNamed(chart: string): Chart {
  return ownValue(charts, chartName(chart)) ?? { versions: [] };
}

/** Whether a known chart creates cluster-scoped objects. */
export function hasClusterScopedObjects(chart: string): boolean {
  const { versions, daemonSetsOnly } = chartNamed(chart);
  return versions.length > 0 && daemonSetsOnly !== true;
}

/**
 * The version that Helm installs: the given exact version as the repository writes it, or the newest version of a range.
 * Undefined when no version matches.
 */
export function resolveVersion(chart: string, request: unknown): string | undefined {
  const { versions, completeFrom } = chartNamed(chart);
  const wanted = typeof request === "string" ? request.trim() : "";
  if (semver.valid(wanted) !== null) {
    const known = versions.find((version) => semver.eq(version, wanted));
    return known ?? (isOutsideKnownVersions(wanted, versions, completeFrom) ? wanted : undefined);
  }
  if (semver.validRange(wanted) === null) return undefined;
  if (versions.length === 0) return placeholderVersion;
  return semver.maxSatisfying([...versions], wanted) ?? undefined;
}

/** Whether an exact version lies outside the complete part of the list, e.g. because it is newer. */
function isOutsideKnownVersions(
  wanted: string,
  versions: readonly string[],
  completeFrom: string | undefined,
): boolean {
  const newest = versions.at(-1);
  if (completeFrom === undefined || newest === undefined) return true;
  return semver.lt(wanted, completeFrom) || semver.gt(wanted, newest);
}

/** The version that a range resolves to for an unknown chart. */
const placeholderVersion = "1.0.0";

/** Node requirements of the pods that Helm waits for. */
export function controllerRequirements(chart: string, values: Properties): PodRequirements[] {
  const { controllers = [""], daemonSetsOnly } = chartNamed(chart);
  return daemonSetsOnly ? [] : controllers.map((path) => requirementsAt(values, path));
}

function requirementsAt(values: Properties, path: string): PodRequirements {
  const at = path === "" ? values : valuesAt(values, path)[0];
  return isRecord(at) ? { tolerations: at["tolerations"], nodeSelector: at["nodeSelector"] } : {};
}
