import { join, oneOf } from "../../core/checks";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { kubernetesEffect, type Taint } from "../../nodes/scheduling/taints";

/** A toleration as Kubernetes spells it. */
export type Toleration = {
  readonly key: string;
  readonly operator: "Exists";
  readonly effect: ReturnType<typeof kubernetesEffect>;
};

/** What the DaemonSets of the GPU Operator chart tolerate unless told otherwise. */
const chartDefault: Toleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };

/**
 * Lets a DaemonSet run on every GPU node: tolerates the taints of all GPU node groups, each once and whatever its
 * value. A list in the chart's values replaces the chart's own, hence the default is always part of it.
 */
export function gpuTolerations(taints: readonly Taint[]): Toleration[] {
  const wanted = taints.map(({ key, effect }): Toleration => ({
    key,
    operator: "Exists",
    effect: kubernetesEffect(effect),
  }));
  const byIdentity = new Map([chartDefault, ...wanted].map((t) => [`${t.key}:${t.effect}`, t]));
  return [...byIdentity.values()];
}

/**
 * Which part runs the DCGM engine (nv-hostengine) of a GPU node. Two engines on one node contend for the profiling
 * counters and for port 5555, so every choice sets both the GPU Operator and the add-on eks-node-monitoring-agent.
 *
 * - `node-monitor`: the add-on's DaemonSet `dcgm-server`. The operator's exporter reads it, and the agent turns what
 *   it finds into the node condition AcceleratedHardwareReady.
 * - `operator`: the operator's DaemonSet `nvidia-dcgm`. The add-on reports no GPU conditions.
 * - `off`: the engine inside the operator's exporter, for metrics alone. The add-on reports no GPU conditions and may
 *   be left out.
 *
 * @see https://github.com/aws/containers-roadmap/issues/2555
 */
export type GpuHealthEngine = (typeof gpuHealthEngines)[number];
export const gpuHealthEngines = ["node-monitor", "operator", "off"] as const;

/** The part of a node's GPU health that each of the two sides is told; see {@link gpuHealth}. */
export interface GpuHealth {
  /** For the GPU Operator chart. */
  readonly operatorValues: {
    readonly dcgm: { readonly enabled: boolean };
    readonly dcgmExporter: {
      readonly env?: readonly { readonly name: string; readonly value: string }[];
      readonly hostNetwork?: boolean;
    };
  };
  /** `configurationValues` of the add-on. To be given whenever the add-on is installed, whatever the engine. */
  readonly addonConfiguration: {
    readonly dcgmAgent: {
      readonly tolerations?: readonly Toleration[];
      readonly nodeSelector?: { readonly [label: string]: string };
    };
    readonly nodeAgent?: { readonly monitors: { readonly nvidia: { readonly enabled: boolean } } };
  };
}

/** Tells the exporter where the engine listens. */
export const remoteEngineVariable = "DCGM_REMOTE_HOSTENGINE_INFO";

/**
 * Keeps `dcgm-server` off every node and takes the GPU monitor out of the agent. The add-on's schema has no switch
 * for the DaemonSet, hence a label that no node carries. With the monitor left on the agent would look for an engine
 * on localhost:5555, find none, report DCGMError, and node repair might replace a healthy node.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/charts/configuration.schema.json 2026-08-04
 */
const addonWithoutEngine: GpuHealth["addonConfiguration"] = {
  dcgmAgent: { nodeSelector: { "eks-gpu-lab/dcgm-server": "on-no-node" } },
  nodeAgent: { monitors: { nvidia: { enabled: false } } },
};

/**
 * Puts exactly one DCGM engine on every GPU node that runs the exporter: says what the operator and the add-on must
 * each be told. `taints` are those of all GPU node groups.
 *
 * The engine of the add-on starts on amd64 nodes of the instance types its chart lists. With the NVIDIA runtime not
 * being containerd's default it starts but sees no GPU; the AL2023 NVIDIA AMI makes it the default.
 * @see https://github.com/aws/eks-node-monitoring-agent/issues/241
 */
export function gpuHealth(settings: { engine: GpuHealthEngine; taints: readonly Taint[] }): GpuHealth {
  switch (settings.engine) {
    case "node-monitor":
      return {
        operatorValues: {
          dcgm: { enabled: false },
          // The operator looks for the variable before it applies this list, so it never turns hostNetwork on by
          // itself; and without it localhost is the exporter's own pod, where no engine listens.
          // @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/object_controls.go#L1771-L1849
          dcgmExporter: { env: [{ name: remoteEngineVariable, value: "localhost:5555" }], hostNetwork: true },
        },
        // By default dcgm-server tolerates nothing and never starts on a tainted node.
        // @see https://github.com/aws/containers-roadmap/issues/2567
        addonConfiguration: { dcgmAgent: { tolerations: gpuTolerations(settings.taints) } },
      };
    case "operator":
      return {
        operatorValues: { dcgm: { enabled: true }, dcgmExporter: {} },
        addonConfiguration: addonWithoutEngine,
      };
    case "off":
      return {
        operatorValues: { dcgm: { enabled: false }, dcgmExporter: {} },
        addonConfiguration: addonWithoutEngine,
      };
  }
}

export interface GpuHealthChoice {
  readonly engine: GpuHealthEngine;
  /** Whether EKS repairs unhealthy GPU nodes. @default false - a replaced node destroys the evidence of a lab */
  readonly repair?: boolean;
  /** Of the GPU nodes. @default "amd64" - the architecture of all NVIDIA instance types but G5g and P6e */
  readonly architecture?: "amd64" | "arm64";
}

/** Everything that is wrong with a choice of engine. */
export function gpuHealthProblems(choice: GpuHealthChoice, at = "gpuHealth"): Problem[] {
  const path = join(at, "engine");
  if (!isRecord(choice)) {
    const fix = `set ${path} to "node-monitor"`;
    return [{ code: "wrong-type", path: at, got: choice, why: "It must be an object with the key engine.", fix }];
  }
  const { engine, repair, architecture } = choice;
  const wrongEngine = oneOf(path, engine, gpuHealthEngines);
  if (wrongEngine.length > 0) return wrongEngine;
  const problems: Problem[] = [];
  if (engine === "node-monitor" && architecture === "arm64") {
    const why = "The add-on runs its DCGM engine on amd64 nodes only, and the GPU nodes are arm64.";
    problems.push({ code: "conflict", path, got: engine, why, fix: `set ${path} to "operator"` });
  }
  if (repair === true && engine !== "node-monitor") {
    const why = `EKS repairs a GPU node by its condition AcceleratedHardwareReady, which nobody reports with the engine "${engine}".`;
    const fix = `set ${path} to "node-monitor", or leave ${join(at, "repair")} off`;
    problems.push({ code: "conflict", path: join(at, "repair"), got: repair, why, fix });
  }
  return problems;
}
