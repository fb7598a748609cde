/** One fact about one object. */
export interface Evidence {
  /** As kubectl takes it, e.g. `node/ip-10-0-0-1` or `-n gpu-lab pod/probe`. */
  readonly object: string;
  /** E.g. `status.allocatable[nvidia.com/gpu]` or `event FailedScheduling`. */
  readonly field: string;
  readonly value: string;
  /** Since when, or when last observed, if the object has a time. */
  readonly at?: string | undefined;
}

/** The objects that a finding applies to. */
export interface Scope {
  /** E.g. `pod gpu-lab/probe`. */
  readonly subject: string;
  /** Nodes by name. */
  readonly nodes: readonly string[];
  /** Pods as `namespace/name`. */
  readonly pods: readonly string[];
}

/** A notice is not a fault. */
export type Level = "problem" | "notice";

/** How sure a finding is at most; without it, the evidence alone decides. No check can say that it is certain. */
export type Doubt = "likely" | "possible" | undefined;

/** `certain`: the evidence proves it. `likely`: it fits all evidence. `possible`: verify it before you act. */
export type Confidence = "certain" | NonNullable<Doubt>;
