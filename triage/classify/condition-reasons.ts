/** What the EKS node monitoring agent's conditions say, and what EKS does about them. */

/** Conditions of a node that are about its health, by type. `Ready` is the kubelet's, the others are the agent's. */
export const repairMinutes: Readonly<Record<string, number>> = {
  Ready: 30,
  AcceleratedHardwareReady: 10,
  ContainerRuntimeReady: 30,
  KernelReady: 30,
  NetworkingReady: 30,
  StorageReady: 30,
};

/**
 * Of the reasons that turn a condition False. Reasons that come as events alone are not here: EKS repairs nothing for
 * them.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/pkg/reasons/reasons.yaml 2026-08-04
 */
const meanings: Readonly<Record<string, string>> = {
  DCGMDiagnosticFailure: "a test of DCGM's active diagnostics failed",
  DCGMError: "the agent cannot reach the DCGM engine on the node",
  FabricManagerNotRunning: "NVIDIA Fabric Manager does not run on a node with NVSwitch",
  NvidiaDeviceCountMismatch: "the node shows another number of GPUs than its type has",
  NvidiaDoubleBitError: "a GPU's memory had an error of two bits, which ECC cannot correct",
  NvidiaFabricError: "a GPU could not join the NVSwitch fabric; a reboot does not help",
  NvidiaNVLinkError: "NVLink reported errors",
  ForkFailedOutOfPIDs: "the node has no process ids or no memory left to start a process",
  PodStuckTerminating: "a pod has been terminating for too long, often because the runtime does not answer",
  MissingLoopbackInterface: "the node has no loopback interface",
  IPAMDNotReady: "the VPC CNI cannot reach the API server",
  IPAMDNotRunning: "the VPC CNI does not run",
  InterfaceNotRunning: "a network interface does not run",
  InterfaceNotUp: "a network interface is down",
  NPANotRunning: "the network policy agent does not run",
  NodeStatusUnknown: "the kubelet has stopped reporting: instance, network or kubelet is gone",
  KubeletNotReady: "the kubelet reports that it is not ready",
};

/** XID codes that turn AcceleratedHardwareReady False. @see https://docs.nvidia.com/deploy/xid-errors/index.html */
const xids: Readonly<Record<number, string>> = {
  46: "the GPU stopped processing",
  48: "a memory error of two bits, which ECC cannot correct",
  54: "auxiliary power is not connected",
  62: "the GPU's micro-controller halted",
  63: "the GPU remapped failing memory; EC2 recommends replacing the instance",
  64: "the GPU could not remap failing memory",
  74: "an NVLink error",
  79: "the GPU has fallen off the bus",
  95: "an uncontained memory error",
  109: "a context switch timed out",
  110: "a security fault",
  119: "the GPU's system processor (GSP) did not answer",
  120: "an error of the GPU's system processor (GSP)",
  136: "a link could not be trained",
  140: "an ECC error that cannot be recovered",
  142: "an error of the video encoder",
  143: "the GPU could not be initialised",
  151: "a key could not be rotated",
  155: "an NVLink error defined by software",
  156: "the GPU retired a resource",
  158: "a fatal timeout of the GPU",
};

/** In words what a reason of a condition means; undefined for one that nobody has described here. */
export function meaningOf(reason: string): string | undefined {
  const xid = /^NvidiaXID(\d+)Error$/.exec(reason);
  if (xid) return `XID ${xid[1]}: ${xids[Number(xid[1])] ?? "see NVIDIA's catalogue of XID errors"}`;
  if (/^DCGMHealthCode\d+$/.test(reason)) return "a health check of DCGM failed";
  return Object.hasOwn(meanings, reason) ? meanings[reason] : undefined;
}
