import type { LabName } from "./labs";
import { operatorForWaitingPods, type EnvironmentValues } from "./run/lab";

/** What differs for a lab when pods start its GPU nodes (`gpuNodes.provisioner`). */
export interface OnDemandLab {
  /** Why the lab needs a node group. @default it runs without one */
  readonly refused?: string;
  /** Sections of the lab's environment with other values. @default the lab's own */
  readonly environment?: EnvironmentValues;
  /** @default the lab's own */
  readonly restore?: string;
  /** Why the lab cannot run with EKS Auto Mode, which has no GPU Operator. @default `refused` */
  readonly refusedByAutoMode?: string;
  /** Why the lab cannot run with a managed node group. @default it runs with one */
  readonly refusedByNodeGroup?: string;
}

/** Each lab without a node group. Pods of the labs that run there request GPUs, so their nodes start with `pulumi up`. */
export const onDemandLabs: Readonly<Record<LabName, OnDemandLab>> = {
  // Karpenter ends no GPU node without a device plugin.
  "gpu-lab": {
    environment: { gpuOperator: operatorForWaitingPods },
    restore: 'eval "$(pulumi stack output scaleDown)"',
  },
  "device-plugin": {
    refused:
      "Without the device plugin, a node has no GPU for pods: for the same pod, Karpenter then starts more nodes up to the limit.",
    refusedByAutoMode:
      "EKS Auto Mode runs the device plugin as a service of its nodes: nothing in the cluster turns it off.",
  },
  "gpu-rollout": {},
  "runtime-socket": { refused: "No pod of the lab requests a GPU, so no node starts." },
  "nccl-block": {},
  "model-server": {},
  // Karpenter replaces a node whose GPU failed after ten minutes, as the override of the node group says.
  "node-health": {
    environment: { gpuHealth: { repair: {} } },
    refusedByAutoMode:
      "EKS Auto Mode monitors its nodes with a service on the node: no pod can reach its DCGM engine to inject an error.",
  },
  "no-node-comes": {
    refusedByNodeGroup:
      "The faults are reasons why Karpenter does not start a node. A node group does not start nodes for pods. The lab sets karpenter itself.",
  },
  "gang-deadlock": {},
};
