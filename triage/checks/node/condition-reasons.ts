import { ownValue } from "../../../components/core/reader/records";

/** Set by the kubelet. */
export const readyRepairMinutes = 30;

/** Set by the EKS node monitoring agent: the conditions, and the minutes until node repair acts if one is False. */
export const agentConditions = [
  { type: "AcceleratedHardwareReady", id: "accelerated-hardware-not-ready", repairMinutes: 10 },
  { type: "ContainerRuntimeReady", id: "container-runtime-not-ready", repairMinutes: 30 },
  { type: "KernelReady", id: "kernel-not-ready", repairMinutes: 30 },
  { type: "NetworkingReady", id: "networking-not-ready", repairMinutes: 30 },
  { type: "StorageReady", id: "storage-not-ready", repairMinutes: 30 },
] as const;

/**
 * Reasons that set a condition to False. Reasons that only create events are not listed: EKS does not repair a node for
 * them.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/pkg/reasons/reasons.yaml 2026-08-04
 */
const meanings: Readonly<Record<string, string>> = {
  DCGMDiagnosticFailure: "an active diagnostic test of DCGM failed",
  DCGMError: "the agent cannot connect to the DCGM engine on the node",
  FabricManagerNotRunning: "NVIDIA Fabric Manager is not running on a node with NVSwitch",
  NvidiaDeviceCountMismatch: "the node shows a different number of GPUs than its instance type has",
  NvidiaDoubleBitError: "GPU memory had a double-bit error, which ECC cannot correct",
  NvidiaFabricError: "a GPU could not join the NVSwitch fabric; a reboot does not help",
  NvidiaNVLinkError: "NVLink reported errors",
  ForkFailedOutOfPIDs: "the node has no process IDs or no memory left to start a process",
  PodStuckTerminating: "a pod has been terminating for too long, often because the runtime does not respond",
  MissingLoopbackInterface: "the node has no loopback interface",
  IPAMDNotReady: "the VPC CNI cannot reach the API server",
  IPAMDNotRunning: "the VPC CNI is not running",
  InterfaceNotRunning: "a network interface is not running",
  InterfaceNotUp: "a network interface is down",
  NPANotRunning: "the network policy agent is not running",
  NodeStatusUnknown: "the kubelet stopped reporting: the instance, the network or the kubelet failed",
  KubeletNotReady: "the kubelet reports that it is not ready",
};

/** XID codes that set AcceleratedHardwareReady to False. @see https://docs.nvidia.com/deploy/xid-errors/index.html */
const xids: Readonly<Record<number, string>> = {
  46: "the GPU stopped processing",
  48: "a double-bit memory error, which ECC cannot correct",
  54: "auxiliary power is not connected",
  62: "the GPU's microcontroller halted",
  63: "the GPU remapped failing memory; EC2 recommends replacing the instance",
  64: "the GPU could not remap failing memory",
  74: "an NVLink error",
  79: "the GPU has fallen off the bus",
  95: "an uncontained memory error",
  109: "a context switch timed out",
  110: "a security fault",
  119: "the GPU System Processor (GSP) did not respond",
  120: "an error of the GPU System Processor (GSP)",
  136: "link training failed",
  140: "an unrecovered ECC error",
  142: "an error of the video encoder",
  143: "the GPU could not be initialized",
  151: "a key rotation failed",
  155: "a software-defined NVLink error",
  156: "the GPU retired a resource",
  158: "a fatal GPU timeout",
};

/** The meaning of a condition's reason; undefined for an unknown reason. */
export function meaningOf(reason: string): string | undefined {
  const xid = /^NvidiaXID(\d+)Error$/.exec(reason);
  if (xid) return `XID ${xid[1]}: ${xids[Number(xid[1])] ?? "see NVIDIA's catalog of XID errors"}`;
  if (/^DCGMHealthCode\d+$/.test(reason)) return "a DCGM health check failed";
  return ownValue(meanings, reason);
}
