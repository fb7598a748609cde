/** The newest of the names with a prefix; EKS appends a suffix that starts with the time. */
export function newestName(names: readonly string[], prefix: string): string | undefined {
  return names
    .filter((each) => each.startsWith(prefix))
    .sort()
    .at(-1);
}

/** Whether a node group with this status stays. One that failed will be replaced. */
export function isWorking(status: string): boolean {
  return ["ACTIVE", "UPDATING", "DEGRADED"].includes(status);
}
