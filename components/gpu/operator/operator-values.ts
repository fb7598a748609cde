import { dump } from "js-yaml";
import type { Taint } from "../../nodes/scheduling/taints";
import { gpuHealth, gpuTolerations, type GpuHealthEngine } from "../health/gpu-health";
import type { GpuShares } from "./gpu-operator-schema";
import { deepMerge } from "../../core/reader/records";
import { type Json, type JsonObject } from "./values";

/** The arguments that the values of the GPU Operator chart follow from. */
export interface OperatorSettings {
  readonly devicePlugin: boolean;
  readonly dcgmExporter: boolean;
  readonly serviceMonitor: boolean;
  readonly validatorWorkload: boolean;
  readonly timeSlicing?: GpuShares | undefined;
  readonly mps?: GpuShares | undefined;
  readonly migCapable: boolean;
  /** `single` and `mixed` have an effect only on GPUs with MIG. */
  readonly migStrategy?: "none" | "single" | "mixed" | undefined;
  readonly health: GpuHealthEngine;
  /** The taints of all GPU node groups. */
  readonly taints: readonly Taint[];
  readonly controllerNodeSelector: Readonly<Record<string, string>>;
  readonly values?: JsonObject | undefined;
}

/**
 * The values of the GPU Operator chart for nodes on the EKS AL2023 NVIDIA AMI. Custom `values` are merged last.
 *
 * Pods that need no GPU stay off the GPU nodes: the controller, the master and the garbage collector of Node Feature
 * Discovery run on `controllerNodeSelector`, so that scaling the GPU group to zero does not end them. Pods that need a
 * GPU tolerate every GPU taint. The NFD worker must too: without it a node never gets the label that all DaemonSets
 * require.
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
    ...migValues(settings),
    validator: { plugin: { env: [{ name: "WITH_WORKLOAD", value: String(settings.validatorWorkload) }] } },
  };
  return deepMerge(values, settings.values ?? {});
}

function migValues({ migCapable, migStrategy = "single" }: OperatorSettings): JsonObject {
  return migCapable || migStrategy === "none" ? { mig: { strategy: migStrategy } } : {};
}

/**
 * The AMI contains driver and container toolkit; the operator's own would overwrite them and break the node. The NRI
 * plugin runs inside the operator's toolkit.
 */
const ownedByTheAmi = {
  driver: { enabled: false },
  toolkit: { enabled: false },
  cdi: { nriPluginEnabled: false },
} as const;

/**
 * The device plugin's values when pods share GPUs: the chart puts the configuration into a ConfigMap. The number is part
 * of its name, because the operator restarts the plugin for a new name but not for new data.
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-sharing.html
 */
function sharingConfig({ timeSlicing, mps }: Pick<OperatorSettings, "timeSlicing" | "mps">): JsonObject {
  if (timeSlicing) {
    // A second share of a GPU does not make a pod faster, so the plugin rejects a request for it.
    const sharing = { timeSlicing: { failRequestsGreaterThanOne: true, resources: resources(timeSlicing) } };
    return config(`time-slicing-${timeSlicing.replicas}`, sharing);
  }
  return mps ? config(`mps-${mps.replicas}`, { mps: { resources: resources(mps) } }) : {};
}

function resources({ replicas }: GpuShares): Json {
  return [{ name: "nvidia.com/gpu", replicas }];
}

function config(name: string, sharing: JsonObject): JsonObject {
  return {
    config: { create: true, name: "gpu-sharing", default: name, data: { [name]: dump({ version: "v1", sharing }) } },
  };
}
