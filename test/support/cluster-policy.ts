import { isRecord } from "../../components/core/reader/records";

/** What the chart of the GPU Operator reads itself; all other values become the spec of the ClusterPolicy as they are. */
export const chartOnly = [
  "nfd",
  "node-feature-discovery",
  "operator.nodeSelector",
  "devicePlugin.config.create",
  "devicePlugin.config.data",
];

/** The spec of the ClusterPolicy that the chart creates from its values. */
export function clusterPolicySpec(values: unknown, at = ""): unknown {
  if (!isRecord(values)) return values;
  const kept = Object.entries(values).filter(([key]) => !chartOnly.includes(`${at}${key}`));
  return Object.fromEntries(kept.map(([key, value]) => [key, clusterPolicySpec(value, `${at}${key}.`)]));
}
