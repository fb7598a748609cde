import * as v from "valibot";
import { exactAddonVersion } from "../../core/addon-version";
import type { Problem } from "../../core/problems";
import { s, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { nodeRepair, repairShareConflicts } from "../../nodes/node-repair";
import { externalEngineVersion, gpuHealthEngines, takesExternalEngine, type GpuHealthEngine } from "./gpu-health";

/** Which component monitors the GPUs, and what happens to a node whose GPU fails. */
export const gpuHealthSettings = s.section({
  /**
   * Which component runs the one DCGM engine of a GPU node.
   *
   * @default "node-monitor" - the add-on, which sets the conditions that node repair reads
   * @change in place, 1 to 5 min - DCGM moves between the node monitoring agent and the operator. GPU metrics have a
   * gap.
   */
  engine: s.optional(s.oneOf(gpuHealthEngines), "node-monitor"),
  /**
   * Allows EKS to replace or reboot unhealthy GPU nodes.
   *
   * @default none - a replaced node takes the evidence of a lab with it
   * @change in place, 1 min - EKS may replace or restart nodes that are unhealthy now, with their pods.
   */
  repair: s.optional(nodeRepair),
});

export interface GpuHealthSettings extends Readonly<GivenOf<typeof gpuHealthSettings>> {}

/** The facts that the settings must fit. */
export interface MonitoredNodes {
  readonly architecture: "amd64" | "arm64";
  readonly maxSize: number;
  /** Exact version of the add-on eks-node-monitoring-agent. @default none - EKS's default */
  readonly addonVersion?: string | undefined;
}

/** Settings that contradict each other or the GPU nodes. */
export function gpuHealthConflicts(
  { engine, repair }: ValueOf<typeof gpuHealthSettings>,
  { maxSize, ...nodes }: MonitoredNodes,
  at: string,
): Problem[] {
  return [
    ...engineConflicts({ engine, repair, ...nodes }, at),
    ...repairShareConflicts(repair, join(at, "repair"), maxSize),
  ];
}

const choice = s.section({
  engine: s.oneOf(gpuHealthEngines),
  /** Whether EKS repairs unhealthy GPU nodes. @default false - a replaced node takes the evidence of a lab with it */
  repair: s.optional(s.flag(), false),
  /**
   * Architecture of the GPU nodes.
   * @default "amd64" - the architecture of all NVIDIA instance types except G5g and P6e
   */
  architecture: s.optional(s.oneOf(["amd64", "arm64"]), "amd64"),
  /** Version of the add-on eks-node-monitoring-agent. @default none - EKS's default, which may be older than 1.7.1 */
  addonVersion: s.optional(
    s.matching(exactAddonVersion, `a version such as "${externalEngineVersion}"`, "set {path} to one"),
  ),
});

export interface GpuHealthChoice extends Readonly<GivenOf<typeof choice>> {}

const checkedChoice = v.pipe(
  choice,
  s.check(({ repair, ...others }: ValueOf<typeof choice>, at) =>
    engineConflicts({ ...others, repair: repair || undefined }, at),
  ),
);

/** Every problem of the selected engine. */
export function gpuHealthProblems(given: GpuHealthChoice, at = "gpuHealth"): readonly Problem[] {
  return problemsIn(checkedChoice, given, at);
}

interface Choice extends Omit<MonitoredNodes, "maxSize"> {
  readonly engine: GpuHealthEngine;
  /** Undefined where repair is off. */
  readonly repair?: unknown;
}

function engineConflicts({ engine, repair, architecture, addonVersion }: Choice, at: string): Problem[] {
  const path = join(at, "engine");
  const problems: Problem[] = [];
  if (engine === "node-monitor" && architecture === "arm64") {
    const why = "The add-on runs its DCGM engine on amd64 nodes only, and the GPU nodes are arm64.";
    problems.push({ code: "conflict", path, got: engine, why, fix: `set ${path} to "operator"` });
  }
  const update = engine === "operator" ? ` before ${externalEngineVersion}` : "";
  const setsCondition = engine === "node-monitor" || (engine === "operator" && takesExternalEngine(addonVersion));
  if (repair !== undefined && !setsCondition) {
    const why = `EKS repairs a GPU node based on its condition AcceleratedHardwareReady, which the add-on does not set with the engine "${engine}"${update}.`;
    const fix = `set ${path} to "node-monitor", or remove ${join(at, "repair")}`;
    problems.push({ code: "conflict", path: join(at, "repair"), got: repair, why, fix });
  }
  return problems;
}
