import type { Taint } from "../../nodes/scheduling/taints";
import { gpuHealth, gpuTolerations, type GpuHealthEngine } from "../health/gpu-health";
import { sharingConfig, type GpuShares } from "./gpu-sharing";
import { mergeValues, type JsonObject } from "./values";

/** What the values of the GPU Operator chart are made from. */
export interface OperatorSettings {
  readonly devicePlugin: boolean;
  readonly dcgmExporter: boolean;
  readonly serviceMonitor: boolean;
  readonly validatorWorkload: boolean;
  readonly timeSlicing?: GpuShares | undefined;
  readonly mps?: GpuShares | undefined;
  readonly migCapable: boolean;
  /** Only for GPUs with MIG. */
  readonly migStrategy?: "single" | "mixed" | undefined;
  readonly health: GpuHealthEngine;
  /** Of all GPU node groups. */
  readonly taints: readonly Taint[];
  readonly controllerNodeSelector: Readonly<Record<string, string>>;
  readonly values?: JsonObject | undefined;
}

/**
 * The values of the GPU Operator chart for nodes on the EKS AL2023 NVIDIA AMI. Free-form `values` are laid over last.
 *
 * What needs no GPU stays off the GPU nodes: the controller, the master and the garbage collector of Node Feature
 * Discovery run on `controllerNodeSelector`, so that scaling the GPU group to zero does not end them. What needs one
 * tolerates every GPU taint; a node that the NFD worker cannot enter never gets the label all DaemonSets wait for.
 *
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml 2026-04-17
 */
export function operatorValues(settings: OperatorSettings): JsonObject {
  const nodeSelector = settings.controllerNodeSelector;
  const tolerations = gpuTolerations(settings.taints);
  const health = gpuHealth({ engine: settings.health, taints: settings.taints }).operatorValues;
  const values: JsonObject = {
    ...ownedByTheAmi,
    nfd: { enabled: true },
    operator: { nodeSelector },
    "node-feature-discovery": { master: { nodeSelector }, gc: { nodeSelector }, worker: { tolerations } },
    daemonsets: { tolerations },
    devicePlugin: { enabled: settings.devicePlugin, ...sharingConfig(settings) },
    dcgm: health.dcgm,
    dcgmExporter: {
      enabled: settings.dcgmExporter,
      serviceMonitor: { enabled: settings.serviceMonitor },
      ...health.dcgmExporter,
    },
    migManager: { enabled: settings.migCapable },
    ...(settings.migCapable && { mig: { strategy: settings.migStrategy ?? "single" } }),
    validator: { plugin: { env: [{ name: "WITH_WORKLOAD", value: String(settings.validatorWorkload) }] } },
  };
  return mergeValues(values, settings.values ?? {});
}

/**
 * The AMI ships driver and container toolkit; the operator's own would be installed over them and break the node.
 * The NRI plugin runs inside the operator's toolkit.
 */
const ownedByTheAmi = {
  driver: { enabled: false },
  toolkit: { enabled: false },
  cdi: { nriPluginEnabled: false },
} as const;
