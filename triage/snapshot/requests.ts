import type { PodSpec } from "./objects/resources";

type Container = PodSpec["containers"][number];

type Requests = ReadonlyMap<string, number>;

/** The resources that a pod requests. A limit without a request counts as a request. */
export const requestsOf = oncePerSpec(sumOfRequests);

/** A sum over a spec that is calculated once: checks ask for the requests of the same pod many times. */
export function oncePerSpec(sum: (spec: PodSpec) => Requests): (spec: PodSpec) => Requests {
  const known = new WeakMap<PodSpec, Requests>();
  return (spec) => {
    const found = known.get(spec) ?? sum(spec);
    known.set(spec, found);
    return found;
  };
}

function sumOfRequests(spec: PodSpec): Requests {
  const sidecars = spec.initContainers.filter(isSidecar);
  const sums = new Map<string, number>();
  for (const [name, amount] of [...spec.containers, ...sidecars].flatMap(containerRequests)) {
    sums.set(name, (sums.get(name) ?? 0) + amount);
  }
  for (const [name, amount] of spec.initContainers.filter((one) => !isSidecar(one)).flatMap(containerRequests)) {
    sums.set(name, Math.max(sums.get(name) ?? 0, amount));
  }
  return new Map([...sums].filter(([, amount]) => amount > 0));
}

function containerRequests({ resources }: Container): [name: string, amount: number][] {
  const amounts = Object.entries({ ...resources.limits, ...resources.requests });
  return amounts.map(([name, amount]) => [name, numberOf(amount)]);
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}

const units: Readonly<Partial<Record<string, number>>> = {
  m: 1e-3,
  ...Object.fromEntries(["k", "M", "G", "T", "P", "E"].map((unit, at) => [unit, 1000 ** (at + 1)])),
  ...Object.fromEntries(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((unit, at) => [unit, 1024 ** (at + 1)])),
};

/** The value of a Kubernetes quantity such as `1`, `3920m` or `6Gi`; 0 for anything else. */
export function numberOf(quantity = ""): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(quantity) ?? [];
  const factor = unit === "" ? 1 : units[unit];
  return digits === undefined || factor === undefined ? 0 : Number(digits) * factor;
}
