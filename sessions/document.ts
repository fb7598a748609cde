import { nextEnd } from "./lease";
import type { LeaseEnd } from "./lease-api";
import type { SessionResult } from "./session";
import type { Snapshot } from "./snapshot";

/** The JSON document of a command. Keys are added, never renamed. */
export function documentOf(
  command: "up" | "down" | "status",
  snapshot: Snapshot,
  result?: SessionResult,
): Readonly<Record<string, unknown>> {
  const { instances, nodes, expectsGpus, lease, reasons, unread } = snapshot;
  const { outcome, requested, isCurrent, planned, seconds, error } = result ?? {};
  return {
    ...{ kind: "GpuSession", version: 1, command },
    ...(result && { outcome, requested: requested ?? null, isCurrent, seconds }),
    ...(outcome === "planned" && { planned: planned ?? null }),
    ...(command !== "down" && { endsAt: endOf(snapshot, result) }),
    ...(command === "up" && preflightDocument(result)),
    ...(error && { error: { action: error.action, code: error.code, why: error.why, fix: error.fix } }),
    group: groupDocument(snapshot),
    instances: instances ?? null,
    nodes: nodes ?? null,
    expectsGpus,
    cost: costDocument(snapshot),
    ...{ lease: lease ?? null, leaseEnds: endsDocument(snapshot) },
    reasons,
    unread,
  };
}

function groupDocument({ group: { region, cluster, group, status, sizes, issues } }: Snapshot) {
  return { region, cluster, group, status, sizes, issues };
}

function preflightDocument(result: SessionResult | undefined) {
  return { preflight: result?.preflight ?? null };
}

function endOf({ leaseEnds }: Snapshot, result: SessionResult | undefined): string | null {
  const at = result ? result.endsAt : leaseEnds && nextEnd(leaseEnds)?.at;
  return at?.toISOString() ?? null;
}

function endsDocument({ leaseEnds }: Snapshot) {
  if (!leaseEnds) return null;
  const { all, now } = leaseEnds;
  const time = ({ at }: LeaseEnd) => at?.getTime() ?? Number.MAX_VALUE;
  const sorted = [...all].sort((one, other) => time(one) - time(other));
  return sorted.map(({ by, at }) => ({ by, at: at?.toISOString() ?? null, hasEnded: at !== undefined && at <= now }));
}

function costDocument({ group, cost, costSoFar }: Snapshot) {
  if (!cost) return null;
  const { usdPerHour, complete, lines } = cost;
  return { usdPerHour, complete, withDisks: group.volumes !== undefined, lines, soFar: costSoFar ?? null };
}
