import type { Problem } from "../core/problems";
import type { PreflightCheck } from "./preflight-checks";
import type { NodeRequest } from "./preflight-facts";
import { gpuOfferingProblems } from "./preflight-rules";
import { quotaProblems, quotaUseProblems, quotaWarnings } from "./quota-rules";

/** Whether the zone of the GPU nodes offers their instance type. */
export const gpuTypeCheck: PreflightCheck<NodeRequest> = {
  ...{ id: "gpu-type", title: "GPU instance type in its zone", needs: ["zones", "offerings"], inPreview: true },
  problems: gpuOfferingProblems,
};

/** Whether the vCPU quota and what runs leave enough for the GPU nodes. */
export const quotaCheck: PreflightCheck<NodeRequest> = {
  ...{ id: "quota", title: "vCPU quota of the GPU nodes", needs: ["quotaVcpus", "vcpuUse"], inPreview: true },
  unneeded: ({ quotaCode }) => (quotaCode === undefined ? "a Capacity Block counts against no quota" : undefined),
  problems: quotaProblems,
  passing: quotaUseProblems,
  warnings: quotaWarnings,
};

/** A problem that passes, as a warning. */
export function passingText({ path, why, fix }: Problem): string {
  return `${path}: ${why} So that all nodes can start, ${fix}.`;
}
