import type { LocalCluster } from "../../components/local/local-cluster";
import type { Call, Get } from "../../components/core/kubernetes-api/api";

/** The cluster of a drill. */
export type Cluster = Pick<LocalCluster, "context" | "call">;

/** What triage reads with. */
export function getter(call: Call): Get {
  return (path) => call({ method: "GET", path });
}
