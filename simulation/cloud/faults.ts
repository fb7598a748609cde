import { CloudError } from "./errors";

export type Operation = "create" | "read" | "update" | "delete";

/** How a request fails. */
export type FaultEffect =
  /** The API rejects the request; nothing changes. */
  | { readonly effect: "reject"; readonly code?: string; readonly message?: string }
  /** The API throttles the request; nothing changes. */
  | { readonly effect: "throttle" }
  /** The change is made, and the wait for readiness times out. */
  | { readonly effect: "time-out" }
  /** The change is made, and the provider crashes before it answers. */
  | { readonly effect: "crash" };

/** A fault to inject: which requests it hits, and how they fail. */
export type Fault = FaultEffect & {
  readonly operation: Operation;
  /** Hits only requests for this type. @default any */
  readonly type?: string;
  /** 1-based index of the first matching request that it hits. @default 1 */
  readonly nth?: number;
  /** Number of requests that it hits from there on. @default 1 */
  readonly times?: number;
};

/** The faults to inject. A fault is used up when it has hit its number of requests. */
export class Faults {
  private readonly entries: { fault: Fault; matched: number; left: number }[] = [];

  add(fault: Fault): void {
    this.entries.push({ fault, matched: 0, left: fault.times ?? 1 });
  }

  clear(): void {
    this.entries.length = 0;
  }

  /** Faults that still have requests to hit. */
  get pending(): readonly Fault[] {
    return this.entries.filter(({ left }) => left > 0).map(({ fault }) => fault);
  }

  /** Counts a request, and returns the fault that hits it, if any. */
  inject(operation: Operation, type: string): FaultEffect | undefined {
    let injected: FaultEffect | undefined;
    for (const entry of this.entries) {
      const { fault } = entry;
      if (fault.operation !== operation || (fault.type !== undefined && fault.type !== type)) continue;
      entry.matched += 1;
      if (injected || entry.left === 0 || entry.matched < (fault.nth ?? 1)) continue;
      entry.left -= 1;
      injected = fault;
    }
    return injected;
  }
}

/** The error of a fault that rejects the request; undefined for a fault that lets the change happen. */
export function rejectionOf(effect: FaultEffect, operation: Operation, type: string): CloudError | undefined {
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
