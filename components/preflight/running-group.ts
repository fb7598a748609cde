/** The arguments that contain the node groups of an environment. */
export type Section = "systemNodes" | "gpuNodes";

const parts = { systemNodes: "system", gpuNodes: "gpu" } as const;

/** What the names of an environment's node groups begin with; the provider appends a unique suffix. */
export function groupPrefix(clusterName: string, section: Section): string {
  return `${clusterName}-${parts[section]}-`;
}

/** The newest of the names with a prefix; EKS appends a suffix that starts with the time. */
export function newestName(names: readonly string[], prefix: string): string | undefined {
  return names
    .filter((each) => each.startsWith(prefix))
    .sort()
    .at(-1);
}

/** Whether a node group with this status can have nodes. One whose creation failed stays failed until it is replaced. */
export function isWorking(status: string): boolean {
  return ["ACTIVE", "UPDATING", "DEGRADED"].includes(status);
}
