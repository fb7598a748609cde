import { CloudError } from "./cloud-error";

export type Operation = "create" | "read" | "update" | "delete";

/** What goes wrong. */
export type FaultEffect =
  /** The API refuses; nothing is changed. */
  | { readonly effect: "refuse"; readonly code?: string; readonly message?: string }
  /** The API is asked too often; nothing is changed. */
  | { readonly effect: "throttle" }
  /** The change is made, and the wait for it to be ready ends first. */
  | { readonly effect: "time-out" }
  /** The change is made, and the provider dies before it can tell. */
  | { readonly effect: "crash" };

/** A fault on demand: which request it strikes, and how. */
export type Fault = FaultEffect & {
  readonly operation: Operation;
  /** Only requests for this type. @default any */
  readonly type?: string;
  /** The how manieth matching request, from 1. @default 1 */
  readonly nth?: number;
  /** How many requests it strikes from there on. @default 1 */
  readonly times?: number;
};

/** The faults that are to come; each is spent once it has struck. */
export class Faults {
  private readonly waiting: { fault: Fault; seen: number; left: number }[] = [];

  add(fault: Fault): void {
    this.waiting.push({ fault, seen: 0, left: fault.times ?? 1 });
  }

  clear(): void {
    this.waiting.length = 0;
  }

  /** Faults that have not struck yet. */
  get pending(): readonly Fault[] {
    return this.waiting.filter(({ left }) => left > 0).map(({ fault }) => fault);
  }

  /** The fault that strikes this request, if one does. */
  strike(operation: Operation, type: string): FaultEffect | undefined {
    let struck: FaultEffect | undefined;
    for (const entry of this.waiting) {
      const { fault } = entry;
      if (fault.operation !== operation || (fault.type !== undefined && fault.type !== type)) continue;
      entry.seen += 1;
      if (struck || entry.left === 0 || entry.seen < (fault.nth ?? 1)) continue;
      entry.left -= 1;
      struck = fault;
    }
    return struck;
  }
}

/** The error of a fault that leaves everything as it was. */
export function refusal(effect: FaultEffect, operation: Operation, type: string): CloudError | undefined {
  if (effect.effect === "throttle") return new CloudError("ThrottlingException", "Rate exceeded");
  if (effect.effect !== "refuse") return undefined;
  return new CloudError(
    effect.code ?? "InternalFailure",
    effect.message ?? `An internal error has occurred (${operation} of ${type})`,
  );
}
