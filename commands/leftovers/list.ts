import { idTag, stackTag } from "../../components/core/stack-tags";
import type { Aws } from "../../aws/clients";
import { Ownership } from "./evidence";
import { isRunning, type Unread } from "./found";
import { identify } from "./identify";
import { judge } from "./judge";
import { plural } from "./kinds/kind";
import { kinds } from "./kinds/kinds";
import type { Leftover, Listing, Target } from "./leftover";
import { readAccount, type AccountReading } from "./read-account";
import { isMadeAgain, type StackState, type StateResource } from "../stack/state";

/**
 * Lists what a failed destroy or a killed run left in AWS: what has the id of the environment, a tag of the stack or of the
 * cluster, and what is in its VPC. What the state knows, and what another environment has, is none of it. Only what the
 * environment created, and nothing else uses, can be removed; see {@link decide}.
 *
 * @throws AwsError when AWS rejects the credentials, or cannot be reached
 */
export async function findLeftovers(clients: Aws, target: Target): Promise<Listing> {
  // Kinds share readings of one listing, and no others.
  const aws = { ...clients };
  const account = await readAccount(aws, target);
  const { found, search, unread, notes, existing = [] } = account;
  const evidence = new Ownership({ search, account: target.account, state: target.state, existing, all: found });
  const judged = await judge(aws, { ...account, evidence, target });
  const leftovers = sorted(judged.leftovers);
  const pending = await readPending(aws, leftovers, target.state);
  const allUnread = [...unread, ...judged.unread, ...pending.unread];
  return {
    ...target,
    ending: [...new Set([...(target.ending ?? []), ...judged.ending])],
    leftovers,
    identified: pending.identified,
    unfinished: unfinishedOf(pending.missing, pending.absent, allUnread),
    unread: allUnread,
    notes: [...notes, ...otherNotes(account, target)],
  };
}

/** Looks for the objects of the interrupted creates that no leftover finishes. */
async function readPending(aws: Aws, leftovers: readonly Leftover[], state: StackState | undefined) {
  const adopted = new Set(leftovers.flatMap(({ adopts }) => adopts?.urn ?? []));
  const open = (state?.pending ?? []).filter(({ urn }) => !adopted.has(urn));
  const taken = state ? open.filter((one) => isMadeAgain(state, one)) : [];
  const found = await identify(
    aws,
    open.filter((one) => !taken.includes(one)),
  );
  const { identified, unread } = found;
  const missing = open.filter((resource) => identified.every((one) => one.resource !== resource));
  return { identified, unread, missing, absent: [...taken, ...found.absent] };
}

function sorted(leftovers: readonly Leftover[]): Leftover[] {
  const order = kinds.map(({ kind }) => kind);
  const rank = ({ kind }: Leftover) => order.indexOf(kind);
  return [...leftovers].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** Environments with the tag of the stack, or the cluster, that was searched: while their cluster runs, nothing is left over. */
function otherNotes({ existing = [] }: AccountReading, { ids, stack, clusters, region }: Target): string[] {
  if (ids.length > 0) return [];
  return existing.flatMap(({ name = "", status, tags }) => {
    const id = tags?.[idTag];
    const isAsked = stack === undefined ? clusters.includes(name) : tags?.[stackTag] === stack;
    if (id === undefined || !isAsked || !isRunning(status)) return [];
    const way = `If it is yours: npx eks-gpu-lab leftovers --id ${id} --region ${region}`;
    return [
      `The cluster ${name} (${status}) belongs to the environment ${id}. None of its objects are left over. ${way}`,
    ];
  });
}

/** @param absent those that do not exist by their inputs, or that the state has no place for */
function unfinishedOf(
  pending: readonly StateResource[],
  absent: readonly StateResource[],
  unread: readonly Unread[],
): Listing["unfinished"] {
  const readable = new Set(
    kinds.flatMap(({ kind, type }) =>
      type === undefined || unread.some(({ what }) => what === plural(kind)) ? [] : [type],
    ),
  );
  return pending.map((resource) => {
    const isAbsent = absent.includes(resource) || readable.has(resource.type);
    return { resource, exists: isAbsent ? (false as const) : ("unknown" as const) };
  });
}
