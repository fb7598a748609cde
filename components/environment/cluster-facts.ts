import { kubernetesVersionProblems } from "../cluster/kubernetes-versions";
import { join, matching, noObject, oneOf, trueOrFalse } from "../core/checks";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { gpuHealthEngines, type GpuHealthEngine } from "../gpu/health/gpu-health";
import type { GpuOperatorArgs } from "../gpu/operator/gpu-operator-schema";
import { labelValue } from "../nodes/checks";
import { gpuNodeGroupDefaults } from "../nodes/gpu-node-group-schema";
import { instanceType, type InstanceType } from "../nodes/machine/instance-types";
import type { Labels } from "../nodes/scheduling/labels";
import { gpuTaint, isTaint, mergeTaints, taintProblems, type Taint } from "../nodes/scheduling/taints";
import { systemLabels } from "../nodes/system-node-group-schema";
import { environmentDefaults } from "./environment-defaults";
import type { GpuEnvironmentArgs, GpuOperatorSettings } from "./gpu-environment-args";

/**
 * What a program must know of a cluster that it did not make, to install the GPU Operator and run GPU workloads there.
 * A stack exports it; between versions keys are added, and none changes its meaning.
 */
export interface ClusterFacts {
  /** Minor version of Kubernetes, e.g. `1.35`. */
  readonly kubernetesVersion: string;
  /** EC2 type of the GPU nodes. */
  readonly gpuInstanceType: string;
  /** Whether the nodes' GPUs have MIG. */
  readonly migCapable: boolean;
  /** What a pod must tolerate on a GPU node. */
  readonly gpuTaints: readonly Taint[];
  /** Labels of the nodes that carry controllers. */
  readonly systemNodeLabels: Labels;
  /** Which part runs the DCGM engine of a GPU node. */
  readonly gpuHealthEngine: GpuHealthEngine;
  /** Whether Prometheus is installed, with its operator. */
  readonly monitoring: boolean;
  /** Whether the GPU Operator is installed: a cluster has one. */
  readonly gpuOperator: boolean;
}

/** The facts of an environment with these arguments. */
export function clusterFacts(args: GpuEnvironmentArgs): ClusterFacts {
  const { type, taints } = gpuFacts(args);
  return {
    kubernetesVersion: args.kubernetesVersion ?? environmentDefaults.kubernetesVersion,
    gpuInstanceType: args.gpuNodes?.instanceType ?? gpuNodeGroupDefaults.instanceType,
    migCapable: type?.supportsMig ?? false,
    gpuTaints: taints,
    systemNodeLabels: systemLabels,
    gpuHealthEngine: args.gpuHealth?.engine ?? environmentDefaults.engine,
    monitoring: args.monitoring?.enabled === true,
    gpuOperator: args.gpuOperator?.enabled === true,
  };
}

/** The arguments of the GPU Operator in a cluster: those that follow from the cluster, with the caller's own. */
export function gpuOperatorArgs(facts: ClusterFacts, settings: GpuOperatorSettings = {}): GpuOperatorArgs {
  const { enabled, ...own } = settings;
  return {
    ...own,
    kubernetesVersion: facts.kubernetesVersion,
    // The monitor's CRD comes with Prometheus.
    serviceMonitor: own.serviceMonitor ?? facts.monitoring,
    migCapable: facts.migCapable,
    controllerNodeSelector: facts.systemNodeLabels,
    taints: facts.gpuTaints,
    health: facts.gpuHealthEngine,
  };
}

const checks: { readonly [Fact in keyof ClusterFacts]: (path: string, got: unknown) => Problem[] } = {
  kubernetesVersion: kubernetesVersionProblems,
  gpuInstanceType: (path, got) => matching(path, got, /^\S+$/, "an EC2 instance type", `set ${path} to one`),
  migCapable: trueOrFalse,
  gpuTaints: (path, got) => taintProblems(got, path, []),
  systemNodeLabels: labelsProblems,
  gpuHealthEngine: (path, got) => oneOf(path, got, gpuHealthEngines),
  monitoring: trueOrFalse,
  gpuOperator: trueOrFalse,
};

/** Everything that is wrong with facts that another program tells. Keys that are not known here are left alone. */
export function clusterFactsProblems(facts: unknown, at = ""): Problem[] {
  if (!isRecord(facts)) return noObject(at, facts);
  return Object.entries(checks).flatMap(([key, check]): Problem[] => {
    const path = join(at, key);
    const got = facts[key];
    if (got !== undefined) return check(path, got);
    return [{ code: "missing", path, got, why: "It must be stated.", fix: `set ${path}` }];
  });
}

function labelsProblems(path: string, got: unknown): Problem[] {
  if (!isRecord(got)) return noObject(path, got);
  return Object.entries(got).flatMap(([key, value]) => labelValue(value, join(path, key)));
}

/** What other parts of the environment need to know of the GPU nodes. */
export interface GpuFacts {
  /** Undefined when the type is not in the catalogue. */
  readonly type: InstanceType | undefined;
  readonly maxSize: number;
  readonly architecture: "amd64" | "arm64";
  readonly taints: readonly Taint[];
}

export function gpuFacts({ gpuNodes }: GpuEnvironmentArgs): GpuFacts {
  const given: unknown = gpuNodes?.instanceType ?? gpuNodeGroupDefaults.instanceType;
  const type = typeof given === "string" ? instanceType(given) : undefined;
  const taints: unknown = gpuNodes?.taints;
  return {
    type,
    maxSize: gpuNodes?.maxSize ?? gpuNodeGroupDefaults.maxSize,
    architecture: type?.architecture ?? "amd64",
    // Taints of another form are reported by the check of the node group.
    taints: mergeTaints([gpuTaint], Array.isArray(taints) ? taints.filter(isTaint) : []),
  };
}
