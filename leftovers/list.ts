import { nameTag, stackTag } from "../components/core/stack-tags";
import { asked, type Aws } from "./aws";
import type { Found, Search } from "./found";
import { clusterTags } from "./kinds/ec2-search";
import { identify, type Identified } from "./identify";
import type { Kind } from "./kinds/kind";
import { kinds } from "./kinds/kinds";
import { vpcs } from "./kinds/network";
import { isMadeAgain, type StackState, type StateResource } from "./state";
import { unreadOf, type Unread } from "./unread";

/** What is searched for. At least one of `stack` and `cluster` is given. */
export interface Target {
  readonly region: string;
  /** The account of the credentials. */
  readonly account: string;
  /** The profile with these credentials. @default the user's ordinary credentials */
  readonly profile?: string;
  /** The value of the stack tag. */
  readonly stack?: string;
  readonly cluster?: string;
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
}

/**
 * Lists what a failed destroy or a killed run left in AWS: what has a tag of the stack or of the cluster, and what is in
 * its VPC. What the state knows, and what has a tag of another stack, is none of it.
 *
 * @throws AwsError when AWS rejects the credentials, or cannot be reached
 */
export async function findLeftovers(aws: Aws, target: Target): Promise<Listing> {
  const { region, stack, cluster, state } = target;
  const empty: Search = {
    region,
    vpcs: [],
    ...(stack !== undefined && { stack }),
    ...(cluster !== undefined && { cluster }),
  };
  const first = await readKinds(aws, [vpcs], empty);
  const own = first.found.filter((one) => isLeftover(one, empty, state));
  const search = { ...empty, vpcs: own.map(({ id }) => id) };
  const rest = await readKinds(
    aws,
    kinds.filter((one) => one !== vpcs),
    search,
  );
  const all = [...first.found, ...rest.found];
  const leftovers = sorted(withoutLiving(all, search, state).map((one) => judged(withParent(one, all), all, target)));
  const adopted = new Set(leftovers.flatMap(({ adopts }) => adopts?.urn ?? []));
  const open = (state?.pending ?? []).filter(({ urn }) => !adopted.has(urn));
  const taken = state ? open.filter((one) => isMadeAgain(state, one)) : [];
  const found = await identify(
    aws,
    open.filter((one) => !taken.includes(one)),
  );
  const { identified, unread: failed } = found;
  const unread = [...first.unread, ...rest.unread, ...failed];
  const missing = open.filter((resource) => identified.every((one) => one.resource !== resource));
  return {
    ...target,
    leftovers,
    identified,
    unfinished: unfinishedOf(missing, [...taken, ...found.absent], unread),
    unread,
  };
}

type Object = Found & { readonly kind: string };

/** Kinds at the same time: more would be throttled. */
const kindsAtOnce = 4;

async function readKinds(
  aws: Aws,
  all: readonly Kind[],
  search: Search,
): Promise<{ readonly found: Object[]; readonly unread: Unread[] }> {
  const found: Object[] = [];
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
function evidence({ tags, isClusters, isNamed, vpc }: Found, search: Search): "stack" | "cluster" | "vpc" | undefined {
  const owner = tags[stackTag];
  if (owner !== undefined && search.stack !== undefined) return owner === search.stack ? "stack" : undefined;
  const { cluster } = search;
  const isTagged = cluster !== undefined && clusterTags(cluster).some(([key, value]) => tags[key] === value);
  if (isTagged || isClusters === true || isNamed === true) return "cluster";
  return vpc !== undefined && search.vpcs.includes(vpc) ? "vpc" : undefined;
}

/** While the state knows the cluster, what the cluster itself creates is in use. */
function isLeftover(found: Found, search: Search, state: StackState | undefined): boolean {
  const why = evidence(found, search);
  if (why === undefined || isKnown(found, state)) return false;
  return why !== "cluster" || search.cluster === undefined || state?.ids.has(search.cluster) !== true;
}

function isKnown({ id, pulumiId = id }: Found, state: StackState | undefined): boolean {
  return state !== undefined && (state.ids.has(pulumiId) || state.ids.has(id));
}

/**
 * The leftovers without what belongs to an object that is none, e.g. the nodes of a node group in the state. What the program
 * itself creates in such an object, as add-ons, is left over if the state does not know it.
 */
function withoutLiving(all: readonly Object[], search: Search, state: StackState | undefined): Object[] {
  const byId = new Map(all.map((one) => [one.pulumiId ?? one.id, one]));
  const isLeft = (one: Object): boolean => {
    const outer = one.within === undefined ? undefined : byId.get(one.within);
    // The nodes of a second node group are left over, although the state knows their cluster.
    if (outer && isLeft(outer)) return evidence(one, search) !== undefined && !isKnown(one, state);
    return isLeftover(one, search, state) && (outer === undefined || isOfProgram(one));
  };
  const isOfProgram = (one: Object) =>
    kinds.some(({ kind, type }) => kind === one.kind && type !== undefined) && evidence(one, search) === "stack";
  return all.filter(isLeft);
}

/** An object without an outer one that is gone. */
function withParent({ within, ...found }: Object, all: readonly Object[]): Object {
  const exists = within !== undefined && all.some(({ id, pulumiId = id }) => pulumiId === within);
  return exists ? { ...found, within } : found;
}

function sorted(leftovers: readonly Leftover[]): Leftover[] {
  const order = kinds.map(({ kind }) => kind);
  const rank = ({ kind }: Leftover) => order.indexOf(kind);
  return [...leftovers].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** What a leftover means for the stack: whether it can be removed, or adopted. */
function judged(found: Object, all: readonly Object[], target: Target): Leftover {
  const { stack, cluster, state } = target;
  const logicalName = found.tags[nameTag];
  const { type } = kinds.find(({ kind }) => kind === found.kind) as Kind;
  const isSame = (one: StateResource) => one.type === type && logicalName !== undefined && creates(one, logicalName);
  const adopts = state?.pending.find((one) => isSame(one) && !isMadeAgain(state, one));
  const second = adopts ? undefined : state?.resources.find(isSame)?.id;
  const owner = found.tags[stackTag];
  const keep = keepOf(found, { stack, cluster, owner, isForeign: foreignCluster(all, target) });
  return {
    ...found,
    ...(logicalName !== undefined && { logicalName }),
    ...(keep !== undefined && { keep }),
    ...(adopts && { adopts }),
    ...(second !== undefined && { second }),
  };
}

/** The component eks.Cluster gives its tags to the resources in it, whose names begin with its own. */
function creates({ urn, name }: StateResource, logicalName: string): boolean {
  return name === logicalName || (urn.includes("eks:index:Cluster$") && name.startsWith(`${logicalName}-`));
}

/** Whether the cluster with this name was not created by the stack. */
function foreignCluster(all: readonly Object[], { stack, cluster }: Target): boolean {
  if (stack === undefined) return false;
  return all.some(({ kind, id, tags }) => kind === "cluster" && id === cluster && tags[stackTag] !== stack);
}

interface Owner {
  readonly stack: string | undefined;
  readonly cluster: string | undefined;
  readonly owner: string | undefined;
  readonly isForeign: boolean;
}

function keepOf(found: Object, { stack, cluster, owner, isForeign }: Owner): string | undefined {
  if (stack === undefined && owner !== undefined) {
    const name = owner.split("/").at(-1);
    return `the stack ${owner} created it: use --stack ${name}; if it was removed, run pulumi stack init ${name} first`;
  }
  if (owner !== undefined) return undefined;
  const isOfCluster = found.isClusters === true || clusterTags(cluster ?? "").some(([key]) => key in found.tags);
  if (isOfCluster)
    return isForeign ? `the stack did not create the cluster ${cluster}: use --cluster ${cluster}` : undefined;
  const isNamed = cluster !== undefined && found.tags["Name"]?.startsWith(`${cluster}-`) === true;
  if (isNamed && stack === undefined) return undefined;
  return "it has no tag of the stack or the cluster: check what it is, and remove it yourself";
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
