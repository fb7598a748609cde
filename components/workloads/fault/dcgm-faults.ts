import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The errors that can be injected into DCGM, each with the field that holds it. Field 150 is the temperature of the GPU
 * and field 111 the clock of its memory; neither is an XID or an ECC error.
 * @see https://github.com/NVIDIA/DCGM/blob/v4.6.0/dcgmlib/dcgm_fields.h
 */
export const dcgmFields = {
  /** Double-bit errors in the memory of the device since the driver was loaded. DCGM_FI_DEV_ECC_DBE_VOL_DEV. */
  "double-bit-ecc": 319,
  /** The last error of the driver, by number. DCGM_FI_DEV_XID_ERROR. */
  xid: 230,
} as const;

export type DcgmFault = keyof typeof dcgmFields;

/**
 * XIDs for which the node monitoring agent calls a node unhealthy; for others it makes an event alone.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/monitors/nvidia/dcgm/dcgm_policies.go
 */
export const fatalXids: readonly number[] = [
  ...[46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158],
];

/** A field, the value to put there, and what the node's condition AcceleratedHardwareReady then says as its reason. */
export interface Injection {
  readonly field: number;
  readonly value: number;
  readonly reason: string;
  /** DaemonSets of the add-on that remember it until they start anew. */
  readonly memory: readonly string[];
}

const agent = "eks-node-monitoring-agent";

/**
 * The engine keeps the XIDs of its time for its health checks: an agent that starts anew beside it hears of them again
 * within minutes.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/pkg/reasons/reasons.go
 * @see https://github.com/NVIDIA/DCGM/blob/v4.6.0/modules/health/DcgmHealthWatch.cpp
 */
export function injection(fault: DcgmFault, xid: number): Injection {
  switch (fault) {
    case "double-bit-ecc":
      return { field: dcgmFields[fault], value: 1, reason: "NvidiaDoubleBitError", memory: [agent] };
    case "xid":
      return { field: dcgmFields[fault], value: xid, reason: `NvidiaXID${xid}Error`, memory: ["dcgm-server", agent] };
  }
}

/**
 * The script that waits for the engine of the node, then writes the value into it three times. An engine compares an ECC
 * counter with the value that it read before, and reads one every 10 seconds, so one that has just started may miss the
 * first write. Each further write is a new error: in between, the engine has read the real value, 0.
 * @see https://github.com/NVIDIA/DCGM/blob/v4.6.0/modules/policy/DcgmPolicyManager.cpp
 */
export function injectScript(): string {
  return readFileSync(join(__dirname, "scripts/inject.sh"), "utf8");
}
