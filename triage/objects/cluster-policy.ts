import { readConditions, readEnvironment, readMeta } from "./common";
import { defined, type Cursor } from "./cursor";

/** Parts of the operator whose switch says something about GPUs. */
const parts = ["devicePlugin", "driver", "toolkit", "dcgm", "dcgmExporter", "gfd", "migManager"] as const;

/** A ClusterPolicy of the GPU Operator. @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/api/nvidia/v1 */
export function readClusterPolicy(policy: Cursor) {
  const [spec, status] = [policy.at("spec"), policy.at("status")];
  const switches = parts.flatMap((part) => {
    const enabled = spec.at(part).at("enabled").flag();
    return enabled === undefined ? [] : [[part, { enabled }] as const];
  });
  const plugin = spec.at("devicePlugin");
  return {
    kind: "ClusterPolicy" as const,
    metadata: readMeta(policy.at("metadata")),
    spec: {
      ...(Object.fromEntries(switches) as Readonly<Partial<Record<(typeof parts)[number], { enabled: boolean }>>>),
      devicePlugin: defined({ enabled: plugin.at("enabled").flag(), env: readEnvironment(plugin.at("env")) }),
    },
    status: defined({ state: status.at("state").text(), conditions: readConditions(status.at("conditions")) }),
  };
}
export type ClusterPolicy = ReturnType<typeof readClusterPolicy>;
