import { CloudError } from "./errors";

export type Operation = "create" | "read" | "update" | "delete";

/** An operation on an object, or the call of a function. */
export type RequestKind = Operation | "invoke";

/** How a request fails. */
export type FaultEffect =
  /** The API rejects the request; nothing changes. */
  | { readonly effect: "reject"; readonly code?: string; readonly message?: string }
  /** An API of AWS throttles the request; nothing changes. The provider repeats it. */
  | { readonly effect: "throttle" }
  /** The change is made, and the wait for readiness times out. */
  | { readonly effect: "time-out" }
  /** The change is made, and the provider crashes before it answers. */
  | { readonly effect: "crash" };

/** A fault to inject: which requests it hits, and how they fail. */
export type Fault = FaultEffect & {
  /** @default any */
  readonly operation?: RequestKind;
  /** Hits only requests for this type, or calls of this function. @default any */
  readonly type?: string;
  /** 1-based index of the first matching request that it hits. @default 1 */
  readonly nth?: number;
  /** Number of requests that it hits from there on. @default 1, or without a limit for a share */
  readonly times?: number;
  /** Of the requests from there on, it hits this share, at random, and in each run the same ones. @default 1 */
  readonly share?: number;
};

/** The faults to inject. A fault is used up when it has hit its number of requests. */
export class Faults {
  private readonly entries: { fault: Fault; matched: number; left: number }[] = [];

  add(fault: Fault): void {
    this.entries.push({ fault, matched: 0, left: fault.times ?? (fault.share === undefined ? 1 : Infinity) });
  }

  /** Faults that still have requests to hit. */
  get pending(): readonly Fault[] {
    return this.entries.filter(({ left }) => left > 0).map(({ fault }) => fault);
  }

  /** Counts a request, and returns the fault that hits it, if any. */
  inject(operation: RequestKind, type: string): FaultEffect | undefined {
    let injected: FaultEffect | undefined;
    for (const entry of this.entries) {
      const { fault } = entry;
      if (!isMeant(fault, operation, type)) continue;
      entry.matched += 1;
      if (injected || entry.left === 0 || entry.matched < (fault.nth ?? 1)) continue;
      if (randomOf(entry.matched) >= (fault.share ?? 1)) continue;
      entry.left -= 1;
      injected = fault;
    }
    return injected;
  }
}

/** Kubernetes throttles no requests here. */
function isMeant({ effect, ...fault }: Fault, operation: RequestKind, type: string): boolean {
  const { operation: meant = operation, type: only = type } = fault;
  return meant === operation && only === type && (effect !== "throttle" || !type.startsWith("kubernetes:"));
}

/** A number from 0 to 1 that depends on the index only, and looks random: a step of mulberry32. */
function randomOf(index: number): number {
  const seed = Math.imul(index, 0x6d2b79f5);
  const once = Math.imul(seed ^ (seed >>> 15), seed | 1);
  const twice = once ^ (once + Math.imul(once ^ (once >>> 7), once | 61));
  return ((twice ^ (twice >>> 14)) >>> 0) / 2 ** 32;
}

/** The error of a fault that rejects the request; undefined for a fault that lets the change happen. */
export function rejectionOf(effect: FaultEffect, operation: RequestKind, type: string): CloudError | undefined {
  if (effect.effect === "throttle") return new CloudError("ThrottlingException", "Rate exceeded");
  if (effect.effect !== "reject") return undefined;
  return new CloudError(
    effect.code ?? "InternalFailure",
    effect.message ?? `An internal error has occurred (${operation} of ${type})`,
  );
}

/** The error of a fault that lets the wait for readiness time out. */
export function timeoutMessage(operation: Operation, type: string): string {
  return `timeout while waiting for ${operation} of ${type} to finish (timeout: 40m0s)`;
}
