import type { SessionResult } from "./session";
import type { Snapshot } from "./snapshot";

/** The JSON document of a command. Keys are added, never renamed. */
export function documentOf(
  command: "up" | "down" | "status",
  snapshot: Snapshot,
  result?: SessionResult,
): Readonly<Record<string, unknown>> {
  const { group, instances, nodes, expectsGpus, lease, reasons, unread } = snapshot;
  const { outcome, requested, planned, seconds, error } = result ?? {};
  return {
    ...{ kind: "GpuSession", version: 1, command },
    ...(result && { outcome, requested: requested ?? null, seconds }),
    ...(planned && { planned }),
    ...(command === "up" && { endsAt: endOf(result), preflight: result?.preflight ?? null }),
    ...(error && { error: { action: error.action, code: error.code, why: error.why, fix: error.fix } }),
    group,
    instances: instances ?? null,
    nodes: nodes ?? null,
    expectsGpus,
    cost: costDocument(snapshot),
    lease: lease ?? null,
    reasons,
    unread,
  };
}

function endOf(result: SessionResult | undefined): string | null {
  return result?.endsAt?.toISOString() ?? null;
}

function costDocument({ group, cost, costSoFar }: Snapshot) {
  if (!cost) return null;
  const { usdPerHour, complete, lines } = cost;
  return { usdPerHour, complete, withDisks: group.volumes !== undefined, lines, soFar: costSoFar ?? null };
}
