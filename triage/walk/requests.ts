import type { PodSpec } from "../objects/pod";

/** What a pod asks for of each resource. A limit alone is a request, too. */
export function requestsOf(spec: PodSpec): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const largestInit = new Map<string, number>();
  const asked = ({ requests, limits }: PodSpec["containers"][number]["resources"]) =>
    Object.entries({ ...limits, ...requests });
  for (const container of [...spec.containers, ...spec.initContainers.filter(isSidecar)]) {
    for (const [name, amount] of asked(container.resources)) sums.set(name, (sums.get(name) ?? 0) + numberOf(amount));
  }
  for (const container of spec.initContainers.filter((one) => !isSidecar(one))) {
    for (const [name, amount] of asked(container.resources)) {
      largestInit.set(name, Math.max(largestInit.get(name) ?? 0, numberOf(amount)));
    }
  }
  const names = [...new Set([...sums.keys(), ...largestInit.keys()])];
  const totals = names.map((name) => [name, Math.max(sums.get(name) ?? 0, largestInit.get(name) ?? 0)] as const);
  return new Map(totals.filter(([, amount]) => amount > 0));
}

function isSidecar({ restartPolicy }: { readonly restartPolicy?: string }): boolean {
  return restartPolicy === "Always";
}

const units: Readonly<Partial<Record<string, number>>> = {
  m: 1e-3,
  ...Object.fromEntries(["k", "M", "G", "T", "P", "E"].map((unit, at) => [unit, 1000 ** (at + 1)])),
  ...Object.fromEntries(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((unit, at) => [unit, 1024 ** (at + 1)])),
};

/** A quantity as Kubernetes writes it: `1`, `3920m`, `6Gi`. What is none counts as 0. */
export function numberOf(quantity = ""): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(quantity) ?? [];
  const factor = unit === "" ? 1 : units[unit];
  return digits === undefined || factor === undefined ? 0 : Number(digits) * factor;
}
