import { idTag } from "../../components/core/stack-tags";
import { adoptionsOf } from "./adopt";
import { adoptionCommand, awsCommands, findCommands, runningNotes } from "./commands";
import { leftOf, type Leftover, type Listing } from "./leftover";
import type { Removal } from "./remove";
import { costPerDay } from "./report";

/** The JSON document. Keys are added, never renamed. */
export function documentOf(
  listing: Listing,
  stack: string | undefined,
  removal?: Removal,
): Readonly<Record<string, unknown>> {
  const { region, account, clusters, state, leftovers, unread } = listing;
  const { adopt, drop, unknown } = adoptionsOf(listing);
  return {
    ...{ kind: "Leftovers", version: 1, account, region, stack: listing.stack ?? null, cluster: clusters[0] ?? null },
    ids: listing.ids,
    state: state ? { resources: state.ids.size, pendingCreates: state.pending.length } : null,
    leftovers: leftovers.map((one) => leftoverDocument(one, listing)),
    cost: costPerDay(leftOf(listing)),
    interrupted: {
      adopt: adopt.map(({ resource, id }) => ({ urn: resource.urn, id })),
      drop: drop.map(({ urn }) => urn),
      unknown: unknown.map(({ urn }) => urn),
      unknownObjects: unknown.map((one) => ({ urn: one.urn, commands: findCommands(one, listing) })),
      command: adoptionCommand(listing, stack ?? "NAME") ?? null,
    },
    unread,
    notes: [...runningNotes(listing), ...listing.notes],
    ...(removal && {
      removal: {
        removed: removal.removed.map(({ kind, id }) => ({ kind, id })),
        failures: removal.failures.map(({ leftover: { kind, id }, ...rest }) => ({ kind, id, ...rest })),
        remaining: removal.remaining.leftovers.map((one) => leftoverDocument(one, listing)),
      },
    }),
  };
}

function leftoverDocument(one: Leftover, at: Listing): Readonly<Record<string, unknown>> {
  const { kind, id, rate, adopts, isEnding, isInUse, evidence } = one;
  const { [idTag]: owner, Name: name } = one.tags;
  const { detail, since, logicalName, second, keep, cluster, within: goesWith } = one;
  return {
    ...{ kind, id, ...orNull({ name, owner }), evidence, ...orNull({ detail, since, logicalName }) },
    ...orNull({ usdPerDay: rate.perDay, note: rate.note, goesWith, second, keep, adopt: adopts?.urn }),
    ...{ isEnding: isEnding === true, ...orNull({ cluster }), isInUse: isInUse === true },
    commands: awsCommands(one, at),
  };
}

/** A key for each value, with null for none. */
function orNull(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? null]));
}
