import * as semver from "semver";
import { kubernetesEffect, type Taint } from "../../nodes/scheduling/taints";

/** A toleration as Kubernetes spells it. */
export type Toleration = {
  readonly key: string;
  readonly operator: "Exists";
  readonly effect: ReturnType<typeof kubernetesEffect>;
};

/** What the DaemonSets of the GPU Operator chart tolerate by default. */
const chartDefault: Toleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };

/**
 * Tolerations with which a DaemonSet runs on every GPU node: one for each key and effect of the GPU node groups'
 * taints. A list in the chart's values replaces the chart's own, so the result always contains the chart's default.
 */
export function gpuTolerations(taints: readonly Taint[]): Toleration[] {
  const tolerations = taints.map(({ key, effect }): Toleration => ({
    key,
    operator: "Exists",
    effect: kubernetesEffect(effect),
  }));
  const byIdentity = new Map([chartDefault, ...tolerations].map((t) => [`${t.key}:${t.effect}`, t]));
  return [...byIdentity.values()];
}

/**
 * Which part runs the DCGM engine (nv-hostengine) of a GPU node. Two engines on one node compete for the profiling
 * counters and for port 5555, so every choice configures both the GPU Operator and the add-on eks-node-monitoring-agent.
 *
 * - `node-monitor`: the add-on's DaemonSet `dcgm-server`. The operator's exporter reads it, and the agent sets the node
 *   condition AcceleratedHardwareReady from its findings.
 * - `operator`: the operator's DaemonSet `nvidia-dcgm`. From version 1.7.1, the add-on reads it and sets the condition;
 *   earlier versions report no GPU conditions.
 * - `off`: the engine inside the operator's exporter, only for metrics. The add-on reports no GPU conditions and is
 *   optional.
 *
 * @see https://github.com/aws/containers-roadmap/issues/2555
 */
export type GpuHealthEngine = (typeof gpuHealthEngines)[number];
export const gpuHealthEngines = ["node-monitor", "operator", "off"] as const;

/** How the GPU Operator and the add-on must be configured for one engine; see {@link gpuHealth}. */
export interface GpuHealth {
  /** Values of the GPU Operator chart. */
  readonly operatorValues: {
    readonly dcgm: { readonly enabled: boolean };
    readonly dcgmExporter: {
      readonly env?: readonly { readonly name: string; readonly value: string }[];
      readonly hostNetwork?: boolean;
    };
  };
  /** `configurationValues` of the add-on. Set them whenever the add-on is installed, with any engine. */
  readonly addonConfiguration: {
    readonly dcgmAgent: {
      readonly enabled?: boolean;
      readonly tolerations?: readonly Toleration[];
      readonly nodeSelector?: { readonly [label: string]: string };
    };
    readonly nodeAgent?: {
      readonly dcgmAddress?: string;
      readonly dnsPolicy?: "ClusterFirstWithHostNet";
      readonly monitors?: { readonly nvidia: { readonly enabled: boolean } };
    };
  };
}

/** The exporter's variable with the address of the engine. */
export const remoteEngineVariable = "DCGM_REMOTE_HOSTENGINE_INFO";

/**
 * Keeps `dcgm-server` off every node and turns off the agent's GPU monitor. The add-on's schema has no toggle for the
 * DaemonSet, hence a label that no node has. A monitor without an engine on localhost:5555 reports DCGMError, and node
 * repair might replace a healthy node.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/charts/configuration.schema.json 2026-08-04
 */
const addonWithoutEngine: GpuHealth["addonConfiguration"] = {
  dcgmAgent: { nodeSelector: { "eks-gpu-lab/dcgm-server": "on-no-node" } },
  nodeAgent: { monitors: { nvidia: { enabled: false } } },
};

/**
 * First version of the add-on whose schema has `dcgmAgent.enabled`, `nodeAgent.dcgmAddress` and `nodeAgent.dnsPolicy`.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/0b5f05cd47795b80536ceffecae1ab32d37a8f2a/charts/configuration.schema.json
 */
export const externalEngineVersion = "v1.7.1-eksbuild.1";

/** Whether a version of the add-on can read an engine of another DaemonSet. EKS's default version may be too old. */
export function takesExternalEngine(version: string | undefined): boolean {
  return version !== undefined && semver.gte(version, externalEngineVersion);
}

/** The agent is in the host's network, and its DNS does not know Services. The Service reaches the engine of its node only. */
function externalEngine(namespace: string): GpuHealth["addonConfiguration"] {
  return {
    dcgmAgent: { enabled: false },
    nodeAgent: { dcgmAddress: `nvidia-dcgm.${namespace}.svc:5555`, dnsPolicy: "ClusterFirstWithHostNet" },
  };
}

/** What determines the configuration of operator and add-on. */
interface GpuHealthChoices {
  readonly engine: GpuHealthEngine;
  /** Taints of all GPU node groups. */
  readonly taints: readonly Taint[];
  /** Exact version of the add-on. @default EKS's default, which may be older than 1.7.1 */
  readonly addonVersion?: string | undefined;
  /** Namespace of the GPU Operator. @default "gpu-operator" */
  readonly operatorNamespace?: string;
}

/**
 * The configuration of operator and add-on that runs exactly one DCGM engine on every GPU node with the exporter.
 *
 * The engine of the add-on starts on amd64 nodes of the instance types that its chart lists. It finds no GPU unless the
 * NVIDIA runtime is containerd's default, as on the AL2023 NVIDIA AMI.
 * @see https://github.com/aws/eks-node-monitoring-agent/issues/241
 */
export function gpuHealth(choices: GpuHealthChoices): GpuHealth {
  switch (choices.engine) {
    case "node-monitor":
      return {
        operatorValues: {
          dcgm: { enabled: false },
          // The operator looks for the variable before it applies this list, so it never turns hostNetwork on by
          // itself. Without hostNetwork, localhost is the exporter's own pod, where no engine listens.
          // @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go#L1771-L1849
          dcgmExporter: { env: [{ name: remoteEngineVariable, value: "localhost:5555" }], hostNetwork: true },
        },
        // By default dcgm-server has no tolerations and never starts on a tainted node.
        // @see https://github.com/aws/containers-roadmap/issues/2567
        addonConfiguration: { dcgmAgent: { tolerations: gpuTolerations(choices.taints) } },
      };
    case "operator":
      return {
        operatorValues: { dcgm: { enabled: true }, dcgmExporter: {} },
        addonConfiguration: takesExternalEngine(choices.addonVersion)
          ? externalEngine(choices.operatorNamespace ?? "gpu-operator")
          : addonWithoutEngine,
      };
    case "off":
      return {
        operatorValues: { dcgm: { enabled: false }, dcgmExporter: {} },
        addonConfiguration: addonWithoutEngine,
      };
  }
}
