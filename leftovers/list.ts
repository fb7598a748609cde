import type { Cluster } from "@aws-sdk/client-eks";
import { isRecord } from "../components/core/reader/records";
import { nameTag, stackTag } from "../components/core/stack-tags";
import { asked, type Aws } from "./aws";
import type { Found, Search } from "./found";
import { holdOf, type HoldContext } from "./hold";
import { readClusters } from "./kinds/cluster";
import { clusterTags } from "./kinds/ec2-search";
import { identify, type Identified } from "./identify";
import type { Kind } from "./kinds/kind";
import { kinds } from "./kinds/kinds";
import { vpcs } from "./kinds/network";
import { nameOf, ownersOf, type FoundObject } from "./owner";
import { isMadeAgain, type StackState, type StateResource } from "./state";
import { unreadOf, type Unread } from "./unread";

/** What is searched for: a stack, or a cluster. */
export interface Target {
  readonly region: string;
  /** The account of the credentials. */
  readonly account: string;
  /** The profile with these credentials. @default the user's ordinary credentials */
  readonly profile?: string;
  /** The value of the stack tag. */
  readonly stack?: string;
  /** The clusters of the stack: several if its name has changed. Without a stack, the one that is searched. */
  readonly clusters: readonly string[];
  /** Whether only what belongs to `clusters` is listed, although a stack is given. */
  readonly isChosen?: boolean;
  /** Undefined without a stack. */
  readonly state?: StackState;
}

/** An object in AWS that the state does not know. */
export interface Leftover extends Found {
  readonly kind: string;
  /** The logical name of the resource that created it. */
  readonly logicalName?: string;
  /** Why it must stay; undefined if it can be removed. */
  readonly keep?: string;
  /** Whether it must stay because a cluster that runs uses it. */
  readonly isInUse?: boolean;
  /** Whether the commands that remove it are shown. @default true */
  readonly hasCommands?: boolean;
  /** The interrupted create of the state that it finishes. */
  readonly adopts?: StateResource;
  /** The ID of the object that the state has in its place. */
  readonly second?: string;
}

export interface Listing extends Target {
  /** In the order in which they are removed. */
  readonly leftovers: readonly Leftover[];
  /** Interrupted creates whose objects were found by their inputs, because they have no tags. */
  readonly identified: readonly Identified[];
  /** Interrupted creates without an object in AWS; unknown if their kind could not be read. */
  readonly unfinished: readonly { readonly resource: StateResource; readonly exists: false | "unknown" }[];
  readonly unread: readonly Unread[];
  /** What was not searched completely, and what another stack has. */
  readonly notes: readonly string[];
}

/**
 * Lists what a failed destroy or a killed run left in AWS: what has a tag of the stack or of the cluster, and what is in
 * its VPC. What the state knows, and what has a tag of another stack, is none of it. What belongs to another cluster is listed
 * with the reason why it stays.
 *
 * @throws AwsError when AWS rejects the credentials, or cannot be reached
 */
export async function findLeftovers(aws: Aws, target: Target): Promise<Listing> {
  const { found, search, existing, unread, notes } = await readAll(aws, target);
  const { clusters } = search;
  const { stack, state, isChosen } = target;
  const context = { stack, clusters, existing, ownerOf: ownersOf(found, search, existing ?? []) };
  const isWanted = (one: FoundObject) => isChosen !== true || clusters.includes(context.ownerOf(one) ?? "");
  const left = withoutLiving(found, search, state).filter(isWanted);
  const leftovers = sorted(left.map((one) => judged(withParent(one, found), context, target)));
  const pending = await readPending(aws, leftovers, state);
  const allUnread = [...unread, ...pending.unread];
  return {
    ...target,
    leftovers,
    identified: pending.identified,
    unfinished: unfinishedOf(pending.missing, pending.absent, allUnread),
    unread: allUnread,
    notes: [...notes, ...otherStackNotes(found, context, target)],
  };
}

/** Reads the VPCs first: the content of those that are left over is searched, too. */
async function readAll(aws: Aws, { region, stack, clusters, state }: Target) {
  const notes: string[] = [];
  let all: Promise<readonly Cluster[]> | undefined;
  const empty: Search = {
    ...{ region, vpcs: [], note: (text) => void notes.push(text), existing: () => (all ??= readClusters(aws)) },
    ...{ clusters, ...(stack !== undefined && { stack }) },
  };
  const first = await readKinds(aws, [vpcs], empty);
  // The kinds that need the clusters report why they cannot be read.
  const existing = await empty.existing().catch(() => undefined);
  const ownerOf = ownersOf(first.found, empty, existing ?? []);
  const isOwn = (one: FoundObject) => empty.clusters.includes(ownerOf(one) ?? "");
  const own = first.found.filter((one) => isLeftover(one, empty, state) && isOwn(one));
  const search = { ...empty, vpcs: own.map(({ id }) => id) };
  const others = kinds.filter((one) => one !== vpcs);
  const rest = await readKinds(aws, others, search);
  return { search, existing, notes, found: [...first.found, ...rest.found], unread: [...first.unread, ...rest.unread] };
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

/** What counts as left over: what another cluster uses does not. */
export function leftOf({ stack, leftovers }: Pick<Listing, "stack" | "leftovers">): readonly Leftover[] {
  return stack === undefined ? leftovers : leftovers.filter(({ isInUse }) => isInUse !== true);
}

/** Kinds at the same time: more would be throttled. */
const kindsAtOnce = 4;

async function readKinds(
  aws: Aws,
  all: readonly Kind[],
  search: Search,
): Promise<{ readonly found: FoundObject[]; readonly unread: Unread[] }> {
  const found: FoundObject[] = [];
  const unread: Unread[] = [];
  const waiting = [...all];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { kind, reads, read } = next;
      try {
        const objects = await asked(reads.join(", "), aws.region, () => read(aws, search));
        found.push(...objects.map((one) => ({ ...one, kind })));
      } catch (error) {
        unread.push(unreadOf(plural(kind), error, next.isGlobal));
      }
    }
  };
  await Promise.all(Array.from({ length: kindsAtOnce }, work));
  return { found, unread };
}

export function plural(kind: string): string {
  return kind.endsWith("ss") ? `${kind}es` : `${kind}s`;
}

/** By which tag or name an object belongs to the target. */
function evidence({ tags, cluster, isNamed, vpc }: Found, search: Search): "stack" | "cluster" | "vpc" | undefined {
  const owner = tags[stackTag];
  if (owner !== undefined && search.stack !== undefined) return owner === search.stack ? "stack" : undefined;
  const isTagged = search.clusters.some((name) => clusterTags(name).some(([key, value]) => tags[key] === value));
  const isOf = cluster !== undefined && search.clusters.includes(cluster);
  if (isTagged || isOf || isNamed === true) return "cluster";
  return vpc !== undefined && search.vpcs.includes(vpc) ? "vpc" : undefined;
}

function isNamedAfter(one: FoundObject, clusters: readonly string[]): boolean {
  return clusters.some((name) => nameOf(one) === name || nameOf(one).startsWith(`${name}-`));
}

/** While the state knows the cluster, what the cluster itself creates is in use. */
function isLeftover(found: FoundObject, search: Search, state: StackState | undefined): boolean {
  const why = evidence(found, search);
  if (why === undefined || isKnown(found, state)) return false;
  return why !== "cluster" || search.clusters.every((name) => state?.ids.has(name) !== true);
}

function isKnown({ id, pulumiId = id }: Found, state: StackState | undefined): boolean {
  return state !== undefined && (state.ids.has(pulumiId) || state.ids.has(id));
}

/**
 * The leftovers without what belongs to an object that is none, e.g. the nodes of a node group in the state. What the program
 * itself creates in such an object, as add-ons, is left over if the state does not know it.
 */
function withoutLiving(all: readonly FoundObject[], search: Search, state: StackState | undefined): FoundObject[] {
  const byId = new Map(all.map((one) => [one.pulumiId ?? one.id, one]));
  const isLeft = (one: FoundObject): boolean => {
    const outer = one.within === undefined ? undefined : byId.get(one.within);
    // The nodes of a second node group are left over, although the state knows their cluster.
    if (outer && isLeft(outer)) return evidence(one, search) !== undefined && !isKnown(one, state);
    return isLeftover(one, search, state) && (outer === undefined || isOfProgram(one));
  };
  const isOfProgram = (one: FoundObject) =>
    kinds.some(({ kind, type }) => kind === one.kind && type !== undefined) && evidence(one, search) === "stack";
  return all.filter(isLeft);
}

/** An object without an outer one that is gone. */
function withParent({ within, ...found }: FoundObject, all: readonly FoundObject[]): FoundObject {
  const exists = within !== undefined && all.some(({ id, pulumiId = id }) => pulumiId === within);
  return exists ? { ...found, within } : found;
}

function sorted(leftovers: readonly Leftover[]): Leftover[] {
  const order = kinds.map(({ kind }) => kind);
  const rank = ({ kind }: Leftover) => order.indexOf(kind);
  return [...leftovers].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** What a leftover means for the stack: whether it can be removed, or adopted. */
function judged(found: FoundObject, context: HoldContext, { state }: Target): Leftover {
  const logicalName = found.tags[nameTag];
  const { type } = kinds.find(({ kind }) => kind === found.kind) as Kind;
  const of = context.ownerOf(found);
  // Another lab with the tag of the stack has the same logical names.
  const isOwn = (one: StateResource) => (of === undefined ? hasName(one, found) : context.clusters.includes(of));
  const isSame = (one: StateResource) =>
    one.type === type && logicalName !== undefined && creates(one, logicalName) && isOwn(one);
  const adopts = state?.pending.find((one) => isSame(one) && !isMadeAgain(state, one));
  const second = adopts ? undefined : state?.resources.find(isSame)?.id;
  const hold = adopts ? undefined : holdOf(found, context);
  return {
    ...found,
    ...(of !== undefined && { cluster: of }),
    ...(logicalName !== undefined && { logicalName }),
    ...(hold && { keep: hold.why, isInUse: hold.isInUse, hasCommands: hold.hasCommands }),
    ...(adopts && { adopts }),
    ...(second !== undefined && { second }),
  };
}

function hasName({ inputs: { tags } }: StateResource, found: FoundObject): boolean {
  return isRecord(tags) && tags["Name"] === found.tags["Name"];
}

/** After `pulumi stack rename`, what an update had left has the tag of the former name. */
function otherStackNotes(found: readonly FoundObject[], context: HoldContext, { stack, state }: Target): string[] {
  if (stack === undefined) return [];
  const { clusters, existing = [] } = context;
  const isRunning = (other: string) =>
    existing.some(({ name = "", tags }) => clusters.includes(name) && tags?.[stackTag] === other);
  const others = found.filter(
    (one) => (one.tags[stackTag] ?? stack) !== stack && isNamedAfter(one, clusters) && !isKnown(one, state),
  );
  const stacks = [...new Set(others.map(({ tags }) => tags[stackTag] ?? ""))].filter((other) => !isRunning(other));
  return stacks.map((other) => {
    const ids = others.flatMap(({ kind, id, tags }) => (tags[stackTag] === other ? [`${kind} ${id}`] : []));
    const way = `use --stack ${other.split("/").at(-1)}, after pulumi stack init if it no longer exists`;
    return `The stack ${other} has objects named after ${clusters.join(" or ")}: ${ids.join(", ")}. Are they left over? Then ${way}.`;
  });
}

/** The component eks.Cluster gives its tags to the resources in it, whose names begin with its own. */
function creates({ urn, name }: StateResource, logicalName: string): boolean {
  return name === logicalName || (urn.includes("eks:index:Cluster$") && name.startsWith(`${logicalName}-`));
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
