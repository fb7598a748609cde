import { nextEnd, type LeaseEnds } from "./lease";
import type { LeaseEnd } from "./lease-api";
import type { SessionResult } from "./session";
import type { Snapshot } from "./snapshot";

/** The JSON document of a command. Keys are added, never renamed. */
export function documentOf(
  command: "up" | "down" | "status",
  snapshot: Snapshot,
  result?: SessionResult,
): Readonly<Record<string, unknown>> {
  const { instances, nodes, expectsGpus, lease, leaseEnds, reasons, unread } = snapshot;
  const { region, cluster, group, status, sizes, issues } = snapshot.group;
  const { outcome, requested, isCurrent, planned, seconds, preflight, error } = result ?? {};
  const endsAt = result ? result.endsAt : leaseEnds && nextEnd(leaseEnds)?.at;
  return {
    ...{ kind: "GpuSession", version: 1, command },
    ...(result && withNull({ outcome, requested, isCurrent, seconds })),
    ...(outcome === "planned" && withNull({ planned })),
    ...(command !== "down" && withNull({ endsAt: endsAt?.toISOString() })),
    ...(command === "up" && withNull({ preflight })),
    ...(error && { error: { action: error.action, code: error.code, why: error.why, fix: error.fix } }),
    group: { region, cluster, group, status, sizes, issues },
    ...withNull({ instances, nodes, expectsGpus, cost: costDocument(snapshot) }),
    ...withNull({ lease, leaseEnds: leaseEnds && endsDocument(leaseEnds), reasons, unread }),
  };
}

/** What is not known is null. */
function withNull(record: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, value ?? null]));
}

/** The earliest first, and one at an unknown time last. */
function endsDocument({ all, now }: LeaseEnds) {
  const time = ({ at }: LeaseEnd) => at?.getTime() ?? Number.MAX_VALUE;
  const sorted = [...all].sort((one, other) => time(one) - time(other));
  return sorted.map(({ by, at }) => ({ by, at: at?.toISOString() ?? null, hasEnded: at !== undefined && at <= now }));
}

function costDocument({ group, cost, costSoFar }: Snapshot) {
  if (!cost) return undefined;
  const { usdPerHour, complete, lines } = cost;
  return { usdPerHour, complete, withDisks: group.volumes !== undefined, lines, soFar: costSoFar ?? null };
}
