import type * as v from "valibot";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { s, keysOf, problemsIn } from "../core/schema";
import { kubernetesMinor, labelValue } from "../core/kubernetes-names";
import { gpuHealthEngines } from "../gpu/health/gpu-health";
import type { GpuOperatorArgs } from "../gpu/operator/gpu-operator-schema";
import { instanceType } from "../nodes/machine/instance-types";
import { mergeTaints, taintList, gpuTaint } from "../nodes/scheduling/taints";
import { systemLabels } from "../nodes/system-node-group-schema";
import { isAutoMode } from "./on-demand-conflicts";
import type { EnvironmentValues, GpuOperatorSettings } from "./gpu-environment-sections";

const facts = s.section({
  /** Minor version of Kubernetes, e.g. `1.35`. */
  kubernetesVersion: kubernetesMinor(),
  /** EC2 type of the GPU nodes. */
  gpuInstanceType: s.matching(/^\S+$/, "an EC2 instance type", "set {path} to one"),
  /** Whether the nodes' GPUs have MIG. */
  migCapable: s.flag(),
  /** Taints that a pod must tolerate on a GPU node. */
  gpuTaints: taintList(),
  /** Labels of the nodes that run controllers. */
  systemNodeLabels: s.mapOf(labelValue(), '{ tier: "primary" }'),
  /** Which component runs the DCGM engine of a GPU node. */
  gpuHealthEngine: s.oneOf(gpuHealthEngines),
  /** Whether Prometheus is installed, with its operator. */
  monitoring: s.flag(),
  /** Whether the GPU Operator is installed: a cluster has one. */
  gpuOperator: s.flag(),
  /** Whether EKS Auto Mode starts the GPU nodes: it excludes the GPU Operator. @default false - a node group or Karpenter does */
  autoMode: s.optional(s.flag()),
});

/**
 * The facts that a program needs about a cluster that it did not create, to install the GPU Operator and run GPU
 * workloads there. A stack exports these facts. New versions add keys, and no key changes its meaning.
 */
export interface ClusterFacts extends Readonly<v.InferOutput<typeof facts>> {}

/** The problems of facts that another program exports. Unknown keys are ignored: a newer version adds some. */
export function clusterFactsProblems(given: unknown, at = ""): readonly Problem[] {
  const known: readonly string[] = keysOf(facts);
  const own = isRecord(given)
    ? Object.fromEntries(Object.entries(given).filter(([key]) => known.includes(key)))
    : given;
  return problemsIn(facts, own, at);
}

type Described = Pick<EnvironmentValues, "kubernetesVersion" | "gpuNodes" | "gpuHealth" | "monitoring" | "gpuOperator">;

/** The facts of an environment. */
export function factsOf({ kubernetesVersion, gpuNodes, gpuHealth, monitoring, gpuOperator }: Described): ClusterFacts {
  return {
    kubernetesVersion,
    gpuInstanceType: gpuNodes.instanceType,
    migCapable: instanceType(gpuNodes.instanceType)?.supportsMig ?? false,
    gpuTaints: mergeTaints([gpuTaint], gpuNodes.taints),
    systemNodeLabels: systemLabels,
    gpuHealthEngine: gpuHealth.engine,
    monitoring: monitoring.enabled,
    // Karpenter waits for the device plugin before it counts a node as started, and ends no node before that.
    gpuOperator: gpuOperator.enabled ?? gpuNodes.provisioner === "karpenter",
    ...(isAutoMode({ gpuNodes }) && { autoMode: true }),
  };
}

/** The arguments of the GPU Operator in a cluster: those that follow from the cluster, and those of the caller. */
export function gpuOperatorArgs(cluster: ClusterFacts, settings: GpuOperatorSettings = {}): GpuOperatorArgs {
  return operatorArguments(cluster, settings);
}

/** The same, as complete as the settings. */
export function operatorArguments<T extends GpuOperatorSettings>(cluster: ClusterFacts, settings: T) {
  const { enabled, serviceMonitor, ...own } = settings;
  return {
    ...own,
    kubernetesVersion: cluster.kubernetesVersion,
    // The monitor's CRD comes with Prometheus.
    serviceMonitor: serviceMonitor ?? cluster.monitoring,
    migCapable: cluster.migCapable,
    controllerNodeSelector: cluster.systemNodeLabels,
    taints: cluster.gpuTaints,
    health: cluster.gpuHealthEngine,
  };
}
