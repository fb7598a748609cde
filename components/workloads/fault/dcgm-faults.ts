import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The errors that can be injected into DCGM, with the DCGM field of each. Field 150 is the temperature of the GPU, and
 * field 111 the clock of its memory: neither is an XID or an ECC error.
 * @see https://github.com/NVIDIA/DCGM/blob/v4.6.0/dcgmlib/dcgm_fields.h
 */
export const dcgmFields = {
  /** Double-bit errors in the memory of the device since the driver was loaded. DCGM_FI_DEV_ECC_DBE_VOL_DEV. */
  "double-bit-ecc": 319,
  /** Number of the last driver error. DCGM_FI_DEV_XID_ERROR. */
  xid: 230,
} as const;

export type DcgmFault = keyof typeof dcgmFields;
export const dcgmFaults = Object.keys(dcgmFields) as readonly DcgmFault[];

/**
 * XIDs for which the node monitoring agent reports a node as unhealthy. For other XIDs, the agent only records an
 * event.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/monitors/nvidia/dcgm/dcgm_policies.go
 */
export const fatalXids: readonly number[] = [
  ...[46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158],
];

const agent = "eks-node-monitoring-agent";

/**
 * The DCGM field of an error and the value to write to it, the reason of the node's condition AcceleratedHardwareReady, and
 * the DaemonSets of the add-on that keep the error until they restart (`memory`). The engine keeps XIDs for its health checks: an agent that restarts
 * without the engine reads them again within minutes.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/pkg/reasons/reasons.go
 * @see https://github.com/NVIDIA/DCGM/blob/v4.6.0/modules/health/DcgmHealthWatch.cpp
 */
export function injection(fault: DcgmFault, xid: number) {
  switch (fault) {
    case "double-bit-ecc":
      return { field: dcgmFields[fault], value: 1, reason: "NvidiaDoubleBitError", memory: [agent] };
    case "xid":
      return { field: dcgmFields[fault], value: xid, reason: `NvidiaXID${xid}Error`, memory: ["dcgm-server", agent] };
  }
}

/**
 * Waits for the node's engine, then writes the value three times. The engine reads an ECC counter every 10 seconds and
 * compares it with the previous value, so that an engine that has just started may ignore the first write. Each further
 * write is a new error, because the engine reads the real value, 0, in between.
 * @see https://github.com/NVIDIA/DCGM/blob/v4.6.0/modules/policy/DcgmPolicyManager.cpp
 */
export function injectScript(): string {
  return readFileSync(join(__dirname, "scripts/inject.sh"), "utf8");
}
