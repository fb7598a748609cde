import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { check, flag, oneOf, optional, problemsIn, section, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { nodeRepair, repairShareConflicts } from "../../nodes/node-repair";
import { gpuHealthEngines, type GpuHealthEngine } from "./gpu-health";

/** Which part monitors the GPUs, and what happens to a node whose GPU fails. */
export const gpuHealthSettings = section({
  /**
   * Which part runs the one DCGM engine of a GPU node.
   *
   * @default "node-monitor" - the add-on, which sets the conditions that node repair reads
   */
  engine: optional(oneOf(gpuHealthEngines), "node-monitor"),
  /**
   * Allows EKS to replace or reboot unhealthy GPU nodes.
   *
   * @default none - a replaced node takes the evidence of a lab with it
   */
  repair: optional(nodeRepair),
});

export interface GpuHealthSettings extends Readonly<GivenOf<typeof gpuHealthSettings>> {}

/** The facts that the settings must fit. */
export interface MonitoredNodes {
  readonly architecture: "amd64" | "arm64";
  readonly maxSize: number;
}

/** Settings that contradict each other or the GPU nodes. */
export function gpuHealthConflicts(
  { engine, repair }: ValueOf<typeof gpuHealthSettings>,
  { architecture, maxSize }: MonitoredNodes,
  at: string,
): Problem[] {
  return [
    ...engineConflicts({ engine, repair, architecture }, at),
    ...repairShareConflicts(repair, join(at, "repair"), maxSize),
  ];
}

const choice = section({
  engine: oneOf(gpuHealthEngines),
  /** Whether EKS repairs unhealthy GPU nodes. @default false - a replaced node takes the evidence of a lab with it */
  repair: optional(flag(), false),
  /** Architecture of the GPU nodes. @default "amd64" - that of all NVIDIA instance types except G5g and P6e */
  architecture: optional(oneOf(["amd64", "arm64"]), "amd64"),
});

export interface GpuHealthChoice extends Readonly<GivenOf<typeof choice>> {}

const checkedChoice = v.pipe(
  choice,
  check(({ repair, ...others }: ValueOf<typeof choice>, at) =>
    engineConflicts({ ...others, repair: repair || undefined }, at),
  ),
);

/** Every problem of the selected engine. */
export function gpuHealthProblems(given: GpuHealthChoice, at = "gpuHealth"): readonly Problem[] {
  return problemsIn(checkedChoice, given, at);
}

interface Choice {
  readonly engine: GpuHealthEngine;
  /** Undefined where repair is off. */
  readonly repair?: unknown;
  readonly architecture: "amd64" | "arm64";
}

function engineConflicts({ engine, repair, architecture }: Choice, at: string): Problem[] {
  const path = join(at, "engine");
  const problems: Problem[] = [];
  if (engine === "node-monitor" && architecture === "arm64") {
    const why = "The add-on runs its DCGM engine on amd64 nodes only, and the GPU nodes are arm64.";
    problems.push({ code: "conflict", path, got: engine, why, fix: `set ${path} to "operator"` });
  }
  if (repair !== undefined && engine !== "node-monitor") {
    const why = `EKS repairs a GPU node by its condition AcceleratedHardwareReady, which only the engine "node-monitor" sets.`;
    const fix = `set ${path} to "node-monitor", or remove ${join(at, "repair")}`;
    problems.push({ code: "conflict", path: join(at, "repair"), got: repair, why, fix });
  }
  return problems;
}
