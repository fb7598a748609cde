import type { NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as v from "valibot";
import { chartRepository } from "../../core/helm-chart";
import { kubernetesMinor, labels, newNamespace } from "../../core/kubernetes-names";
import { clusterResource } from "../../core/options";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { transformOf, type Transform } from "../../core/transform";
import { gpuOperatorChart } from "../../core/versions";
import { taintList } from "../../nodes/scheduling/taints";
import { gpuHealthEngines } from "../health/gpu-health";
import { exactVersion, isOlder, kubernetesFit } from "./compatibility";
import { operatorValuesProblems } from "./custom-values";
import type { Json } from "./values";

/** How many pods share one GPU. `most` is the largest number. */
function gpuShares(most: number) {
  return s.section({
    /** Number of pods that share one GPU. */
    replicas: s.wholeNumber({ min: 2, max: most }),
  });
}

/**
 * Time slicing has no limit; 110 is the kubelet's default number of pods. An MPS server of a Volta or newer GPU accepts
 * 48 clients.
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/cmd/mps-control-daemon/mps/device.go
 */
const mostReplicas = { timeSlicing: 110, mps: 48 } as const;

/** How many pods share one GPU: 2 to 110 with time slicing, 2 to 48 with MPS. */
export interface GpuShares extends Readonly<GivenOf<ReturnType<typeof gpuShares>>> {}

const shortTimeout =
  "Pulling the images and starting the pods can take ten minutes, and an install that times out stays incomplete.";

/** Settings of the GPU Operator that do not depend on the cluster. */
export const gpuOperatorSettings = s.section({
  /**
   * One exact version of the chart; the leading v is optional. Ranges, `latest` and series that have not been checked
   * against Kubernetes are rejected; `transform.release` accepts any version.
   *
   * @default the pinned version - it fits the pinned Kubernetes version. On nodes with EFA devices set "v26.3.3": 26.3.0
   *   to 26.3.2 mount every ibverbs device of a node into GPU pods
   * @change in place, 1 to 5 min - Helm upgrades the release. The DaemonSets restart node by node; running GPU pods
   * continue.
   */
  chartVersion: s.optional(exactVersion(), gpuOperatorChart.version),
  /**
   * Namespace that the component creates for the operator.
   *
   * @default "gpu-operator" - the name in NVIDIA's documentation
   * @change replaced, 5 to 10 min - The release is uninstalled, then installed again. New GPU pods stay Pending
   * meanwhile.
   */
  namespace: s.optional(newNamespace("gpu-operator"), "gpu-operator"),
  /**
   * An https:// chart repository, or an oci:// registry with or without the chart's name at its end.
   *
   * @default "https://helm.ngc.nvidia.com/nvidia" - NVIDIA's repository; a mirror protects a lab from its outages
   * @change in place, 1 to 5 min - The objects stay the same if the chart does.
   */
  repository: s.optional(chartRepository(gpuOperatorChart, { oci: true }), gpuOperatorChart.repository),
  /**
   * Whether nodes advertise their GPUs as nvidia.com/gpu.
   *
   * @default true - off only to show what breaks without it
   * @change in place, 1 to 5 min - Without it, running GPU pods continue, and new ones stay Pending.
   */
  devicePlugin: s.optional(s.flag(), true),
  /**
   * Whether Prometheus can read GPU metrics.
   * @default true - dashboards and alerts read them
   * @change in place, 1 to 5 min - The pods of the operator restart. Running GPU pods continue.
   */
  dcgmExporter: s.optional(s.flag(), true),
  /**
   * Whether a ServiceMonitor points Prometheus at the exporter. The cluster must have its CRD: without it the
   * ClusterPolicy stays notReady.
   *
   * @default false - the cluster may have no Prometheus Operator
   */
  serviceMonitor: s.optional(s.flag(), false),
  /**
   * Whether the validator also runs a pod that requests one GPU. While another pod uses the only GPU of a node, the
   * ClusterPolicy stays notReady: set this to false if workloads wait for GPU nodes.
   *
   * @see https://github.com/NVIDIA/gpu-operator/issues/233
   * @default true - a node counts as ready only after a pod has received a GPU there
   * @change in place, 1 to 5 min - The pods of the operator restart. Running GPU pods continue.
   */
  validatorWorkload: s.optional(s.flag(), true),
  /**
   * Shares each GPU among `replicas` pods in turn (2 to 110), without isolating their memory.
   *
   * @default none - each pod has exclusive use of its GPU
   * @change in place, 1 to 5 min - The device plugin restarts and advertises another number of GPUs. Running GPU pods
   * continue.
   */
  timeSlicing: s.optional(gpuShares(mostReplicas.timeSlicing)),
  /**
   * Shares each GPU among `replicas` pods at the same time (2 to 48), each with an equal part of its memory. It excludes
   * `timeSlicing`. NVIDIA calls it experimental.
   *
   * @default none - each pod has exclusive use of its GPU
   * @change in place, 1 to 5 min - The device plugin restarts and advertises another number of GPUs. Delete GPU pods
   * first: they do not use MPS.
   */
  mps: s.optional(gpuShares(mostReplicas.mps)),
  /**
   * How MIG devices are named: `single` calls them nvidia.com/gpu, and `mixed` uses the names of their profiles. With
   * `none`, the device plugin does not look for them.
   *
   * @default none - "single" where the GPUs have MIG, as in the chart
   * @change in place, 1 to 5 min - The device plugin restarts and advertises other resources. Pods that request
   * resources that no longer exist stay Pending.
   */
  migStrategy: s.optional(s.oneOf(["none", "single", "mixed"])),
  /**
   * Values of the chart, merged over the component's own. The component rejects values that enable the driver, the
   * toolkit or NRI, start a second DCGM engine or repeat an argument, and keys that the chart does not have.
   *
   * @default none - the other arguments cover the labs
   * @change in place, 1 to 5 min - A preview shows the objects that Helm changes.
   */
  values: s.optional(s.mapOf(s.anything<Json>(), "{ gfd: { enabled: false } }")),
  /**
   * How long Helm waits for the chart's own pods, in seconds: 600 to 7200. It does not wait for the DaemonSets that the
   * operator creates later.
   *
   * @default 900 - a fresh node pulls all images first
   * @change in place, 1 to 5 min - Nothing restarts.
   */
  timeoutSeconds: s.optional(s.wholeNumber({ min: 600, max: 7200, unit: "seconds", below: shortTimeout }), 900),
});

/** The facts about its cluster that the GPU Operator needs. */
const gpuOperatorFacts = s.section({
  /** Minor version of the cluster's Kubernetes, such as `1.35`: the chart must fit it. */
  kubernetesVersion: kubernetesMinor(),
  /**
   * Whether the nodes' GPUs support MIG: determines whether the MIG manager runs.
   * @default false - the A10G of a g5.xlarge does not support MIG
   */
  migCapable: s.optional(s.flag(), false),
  /**
   * Taints of all GPU node groups: everything that runs on a GPU node tolerates them.
   *
   * @default [] - the chart's own toleration of nvidia.com/gpu:NoSchedule is always set
   */
  taints: s.optional(taintList(), []),
  /**
   * Which component runs the one DCGM engine of a node.
   *
   * @default "node-monitor" - the add-on eks-node-monitoring-agent, which must then be installed
   */
  health: s.optional(s.oneOf(gpuHealthEngines), "node-monitor"),
  /**
   * Labels of the nodes that run the controller, the NFD master and the NFD garbage collector. `{ tier: "primary" }`
   * selects the nodes of a SystemNodeGroup; on a GPU node they would stop when the group scales to zero.
   *
   * @default {} - any node without a taint: the component does not know the cluster's nodes
   */
  controllerNodeSelector: s.optional(labels('{ tier: "primary" }'), {}),
});

/** Adjusts each underlying resource before it is created. */
export interface GpuOperatorTransform {
  readonly namespace?: Transform<NamespaceArgs>;
  readonly release?: Transform<ReleaseArgs>;
}

const choices = s.section({ ...gpuOperatorFacts.entries, ...gpuOperatorSettings.entries });
type Values = ValueOf<typeof choices>;

const gpuOperatorSection = s.section({
  ...choices.entries,
  /**
   * The cluster: on destroy, the release is deleted with the cluster, without a call to an API server that may be gone.
   *
   * @default none - Helm uninstalls the release
   */
  cluster: s.optional(clusterResource()),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(transformOf<GpuOperatorTransform>({ namespace: true, release: true })),
});

export const gpuOperatorDefaults = defaultsOf(gpuOperatorSection);

/** Arguments of a GpuOperator. */
export const gpuOperator = v.pipe(
  gpuOperatorSection,
  s.check((args: ValueOf<typeof gpuOperatorSection>, at) => gpuOperatorConflicts(args, at)),
);

export interface GpuOperatorArgs extends Readonly<GivenOf<typeof gpuOperator>> {}

/** Every problem in the arguments of a GpuOperator. `at` is the prefix of the paths, e.g. `gpuOperator`. */
export function gpuOperatorProblems(args: GpuOperatorArgs, at = ""): readonly Problem[] {
  return problemsIn(gpuOperator, args, at);
}

/** Settings and facts that contradict each other. `enginePath` is the path of the argument that sets `health`. */
export function gpuOperatorConflicts(values: Values, at: string, enginePath = join(at, "health")): Problem[] {
  const { chartVersion, kubernetesVersion, health } = values;
  const fit = kubernetesFit(chartVersion, kubernetesVersion, join(at, "chartVersion"));
  return [
    ...fit,
    ...(fit.length > 0 ? [] : hostNetworkConflicts(values, enginePath)),
    ...monitorConflicts(values, at),
    ...sharingConflicts(values, at),
    ...migConflicts(values, at),
    ...(values.values
      ? operatorValuesProblems(values.values, { at: join(at, "values"), engine: health, enginePath, chartVersion })
      : []),
  ];
}

function hostNetworkConflicts({ chartVersion, health }: Values, path: string): Problem[] {
  if (health !== "node-monitor" || !isOlder(chartVersion, "v26.3.0")) return [];
  const why = `The exporter of chart ${chartVersion} has no host network, so it cannot reach the node monitor's DCGM engine.`;
  return [{ code: "conflict", path, got: health, why, fix: `set ${path} to "operator" or "off"` }];
}

function monitorConflicts({ serviceMonitor, dcgmExporter }: Values, at: string): Problem[] {
  if (!serviceMonitor || dcgmExporter) return [];
  const why = "A ServiceMonitor points Prometheus at the DCGM exporter, which is disabled.";
  const fix = `set ${join(at, "dcgmExporter")} to true, or ${join(at, "serviceMonitor")} to false`;
  return [{ code: "conflict", path: join(at, "serviceMonitor"), got: true, why, fix }];
}

function sharingConflicts({ timeSlicing, mps, devicePlugin }: Values, at: string): Problem[] {
  const problems: Problem[] = [];
  const [slicingPath, mpsPath] = [join(at, "timeSlicing"), join(at, "mps")];
  if (timeSlicing && mps) {
    const why = "The device plugin shares a GPU either with time slicing or with MPS.";
    problems.push({ code: "conflict", path: mpsPath, got: mps, why, fix: `remove ${mpsPath} or ${slicingPath}` });
  }
  const [path, got] = timeSlicing ? [slicingPath, timeSlicing] : [mpsPath, mps];
  if (!devicePlugin && got) {
    const why = "Sharing needs the device plugin, which is disabled.";
    const fix = `set ${join(at, "devicePlugin")} to true, or remove ${path}`;
    problems.push({ code: "conflict", path, got, why, fix });
  }
  return problems;
}

/**
 * MIG divides a GPU in hardware; only some models support it.
 * @see https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-gpus.html
 */
function migConflicts({ migStrategy, migCapable, mps }: Values, at: string): Problem[] {
  if (migStrategy === undefined || migStrategy === "none") return [];
  const path = join(at, "migStrategy");
  if (!migCapable) {
    const why = "These GPUs do not support MIG. A100, A30 and H100 support it; A10G, L4, L40S and T4 do not.";
    const fix = `remove ${path}, or use an instance type whose GPUs support MIG`;
    return [{ code: "conflict", path, got: migStrategy, why, fix }];
  }
  if (mps === undefined) return [];
  const why = "The device plugin cannot share MIG devices with MPS.";
  const fix = `remove ${join(at, "mps")} or ${path}`;
  return [{ code: "conflict", path: join(at, "mps"), got: mps, why, fix }];
}
