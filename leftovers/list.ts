import type { Cluster } from "@aws-sdk/client-eks";
import { isRecord, withoutUndefined } from "../components/core/reader/records";
import { idTag, nameTag, stackTag } from "../components/core/stack-tags";
import { asked, type Aws } from "./aws";
import { evidenceIn, isOf } from "./evidence";
import { free, isRunning, type Found, type FoundObject, type Search } from "./found";
import { identify, type Identified } from "./identify";
import { readClusters, usesOfCluster } from "./kinds/cluster";
import { clusterOfTags } from "./kinds/ec2-search";
import type { Kind } from "./kinds/kind";
import { inNetwork, kinds } from "./kinds/kinds";
import { vpcs } from "./kinds/network";
import { decide, usersOf, type Evidence, type Running, type Use } from "./ownership";
import { isMadeAgain, type StackState, type StateResource } from "./state";
import { unreadOf, type Unread } from "./unread";
import { readUsers } from "./users";

/** What is searched for: an environment, a stack or a cluster. */
export interface Target {
  readonly region: string;
  /** The account of the credentials. */
  readonly account: string;
  /** The profile with these credentials. @default the user's ordinary credentials */
  readonly profile?: string;
  /** The ids of the environments whose objects are removed: those of the state, or the one that the user names. */
  readonly ids: readonly string[];
  /** The value of the stack tag. */
  readonly stack?: string;
  /** The clusters of the stack: several if its name has changed. Without a stack, the one that is searched. */
  readonly clusters: readonly string[];
  /** Undefined without a stack. */
  readonly state?: StackState;
  /** Interfaces of what an earlier reading found to be removable: AWS removes them some time after it. */
  readonly ending?: readonly string[];
  /** Why the pods of a cluster may hold GPUs; undefined if none does. @default never asked */
  readonly gpuPods?: (cluster: Cluster) => Promise<string | undefined>;
}

/** An object in AWS that the state does not know. */
export interface Leftover extends Found {
  readonly kind: string;
  /** What says to whom it belongs. */
  readonly evidence: Evidence;
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
  /** What was not searched completely, and what another environment has. */
  readonly notes: readonly string[];
}

/**
 * Lists what a failed destroy or a killed run left in AWS: what has the id of the environment, a tag of the stack or of the
 * cluster, and what is in its VPC. What the state knows, and what another environment has, is none of it. Only what the
 * environment created, and nothing else uses, can be removed; see {@link decide}.
 *
 * @throws AwsError when AWS rejects the credentials, or cannot be reached
 */
export async function findLeftovers(aws: Aws, target: Target): Promise<Listing> {
  const account = await readAccount(aws, target);
  const { found, search, unread, notes } = account;
  const evidence = evidenceIn({ search, account: target.account, state: target.state, all: found });
  const listed = found.filter((one) => isListed(one, { ...account, ...evidence, target }));
  const { judge, isOpen } = await judgeOf(aws, listed, { ...account, ...evidence, target });
  const ending = found.flatMap((one) => (one.isHidden === true && isOpen(one) ? [one.id] : []));
  const leftovers = sorted(listed.map(judge));
  const pending = await readPending(aws, leftovers, target.state);
  const allUnread = [...unread, ...pending.unread];
  return {
    ...target,
    ending: [...new Set([...(target.ending ?? []), ...ending])],
    leftovers,
    identified: pending.identified,
    unfinished: unfinishedOf(pending.missing, pending.absent, allUnread),
    unread: allUnread,
    notes: [...notes, ...otherNotes(account, target)],
  };
}

/** What was read of the account. */
interface AccountReading {
  readonly search: Search;
  /** The clusters of the region; undefined if they could not be read. */
  readonly existing: readonly Cluster[] | undefined;
  readonly found: readonly FoundObject[];
  readonly unread: readonly Unread[];
  readonly notes: readonly string[];
}

/** Reads the VPCs first: the content of those of the environment is searched, too. */
async function readAccount(aws: Aws, { region, ids, stack, clusters, state }: Target): Promise<AccountReading> {
  const notes: string[] = [];
  let all: Promise<readonly Cluster[]> | undefined;
  const existingClusters = () => (all ??= readClusters(aws));
  // The kinds that need the clusters report why they cannot be read.
  const existing = await asked("eks:ListClusters", region, existingClusters).catch(() => undefined);
  const own = (existing ?? []).flatMap(({ name, tags }) => (ids.includes(tags?.[idTag] ?? "") ? (name ?? []) : []));
  const empty: Search = {
    ...{ region, ids, vpcs: [], clusters: [...new Set([...clusters, ...own])], existing: existingClusters },
    ...{ note: (text) => void notes.push(text), ...(stack !== undefined && { stack }) },
  };
  const first = await readKinds(aws, [vpcs], empty);
  const isOwnVpc = ({ id, tags }: FoundObject) =>
    ids.length === 0 || ids.includes(tags[idTag] ?? "") || state?.ids.has(id) === true;
  const search = { ...empty, vpcs: first.found.filter(isOwnVpc).map(({ id }) => id) };
  const others = kinds.filter((one) => one !== vpcs);
  const inAll = await readKinds(aws, others, search);
  const isOwn = ({ tags }: FoundObject) => ids.includes(tags[idTag] ?? "");
  // What the environment has in another VPC can be in use there.
  const further = inAll.found.flatMap((one) =>
    isOwn(one) && !search.vpcs.includes(one.vpc ?? "") ? (one.vpc ?? []) : [],
  );
  const isInVpc = ({ kind }: Kind) => further.length > 0 && inNetwork.includes(kind);
  const beyond = await readKinds(aws, others.filter(isInVpc), { ...search, vpcs: [...new Set(further)] });
  const every = [...first.found, ...inAll.found, ...beyond.found];
  const found = [...new Map(every.map((one) => [`${one.kind} ${one.pulumiId ?? one.id}`, one])).values()];
  const read = new Set(found.flatMap(({ kind, id }) => (kind === "cluster" ? [id] : [])));
  const ofOthers = (existing ?? []).filter(({ name = "" }) => !read.has(name)).map(otherCluster);
  const unread = [...first.unread, ...inAll.unread, ...beyond.unread];
  // What the environment created names its cluster, although that may be gone.
  const named = found.filter(isOwn).flatMap(({ tags, cluster }) => cluster ?? clusterOfTags(tags) ?? []);
  const complete = { ...search, clusters: [...new Set([...search.clusters, ...named])] };
  return { search: complete, existing, notes, unread, found: withInterfaces([...found, ...ofOthers]) };
}

/** Gateways and endpoints say which network interfaces are theirs. */
function withInterfaces(found: readonly FoundObject[]): FoundObject[] {
  const owners = new Map(found.flatMap(({ id, interfaces = [] }) => interfaces.map((one) => [one, id] as const)));
  return found.map((one) => {
    const within = owners.get(one.id);
    return within === undefined ? one : { ...one, within, isHidden: true };
  });
}

/** A cluster of somebody else, which can use objects of the environment. */
function otherCluster(cluster: Cluster): FoundObject {
  const { name = "", tags = {} } = cluster;
  return { kind: "cluster", id: name, tags, rate: free, steps: [], ...usesOfCluster(cluster) };
}

interface Context extends AccountReading, ReturnType<typeof evidenceIn> {
  readonly target: Target;
}

/**
 * Whether the object counts as left over. While the state knows the cluster, what EKS and controllers create for it is in use;
 * so is what goes with an object of the state, and what another environment has whose cluster runs.
 */
function isListed(one: FoundObject, context: Context): boolean {
  const { search, existing = [], evidenceOf, isKnown, outerOf, target } = context;
  const evidence = evidenceOf(one);
  if (one.isHidden === true || isKnown(one)) return false;
  const isClusterKnown = search.clusters.some((name) => target.state?.ids.has(name) === true);
  const outer = outerOf(one);
  switch (evidence) {
    case undefined:
      return false;
    case "part":
      return outer !== undefined && isListed(outer, context);
    case "other":
      return !existing.some(({ status, tags }) => isRunning(status) && tags?.[idTag] === one.tags[idTag]);
    case "place":
      return target.ids.length === 0 || target.state?.ids.has(one.vpc ?? "") !== true;
    case "named":
    case "aws":
      return !isClusterKnown;
    default:
      return one.tags[nameTag] !== undefined || evidence === "former" || !isClusterKnown;
  }
}

/** Decides about each listed object, after reading what uses those that could be removed. */
async function judgeOf(aws: Aws, listed: readonly FoundObject[], context: Context) {
  const { evidenceOf, outerOf, found, target } = context;
  const running = await runningIn(context);
  const isOpen = (one: FoundObject): boolean => {
    const outer = outerOf(one);
    if (target.ending?.includes(one.id) === true) return true;
    if (one.isHidden === true && outer) return isOpen(outer);
    const evidence = evidenceOf(one);
    const isLeft = evidence !== undefined && listed.includes(one) && one.isEnding !== true;
    return isLeft && decide({ evidence, running: running.is, use: "none" }).decision === "remove";
  };
  const read = await readUsers(aws, found.filter(isOpen), found);
  const users = usersOf([...found, ...read.users], (one) => !isOpen(one));
  const judge = (one: FoundObject): Leftover => {
    const evidence = evidenceOf(one) as Evidence;
    const living = livingUser(one, evidence, context);
    const user = living ?? users.get(one);
    const unread = read.unread.get(one.kind) ?? unreadAround(context);
    const use: Use = user !== undefined ? "used" : unread === undefined ? "none" : "unread";
    const { decision, why } = decide({ evidence, running: running.is, use });
    const id = one.tags[idTag] ?? "";
    const names = { cluster: running.cluster, user: user ?? unread ?? "", id, region: target.region };
    const isHeld = decision === "hold";
    const adopts = adoptedBy(one, evidence, context);
    const second = adopts ? undefined : context.secondOf(one);
    const outer = outerOf(one);
    const { within: _, ...rest } = one;
    return {
      ...{ ...rest, evidence },
      ...withoutUndefined({
        within: outer && (outer.pulumiId ?? outer.id),
        logicalName: one.tags[nameTag],
        adopts,
        second,
      }),
      ...(decision !== "remove" &&
        !adopts &&
        one.isEnding !== true && { keep: why(names), hasCommands: !isHeld && outer === undefined }),
      ...(isHeld && !adopts && { isInUse: ["rival", "unread"].includes(running.is) || living !== undefined }),
    };
  };
  return { judge, isOpen };
}

/** What runs in the region, and the words for it. */
async function runningIn({
  existing,
  found,
  unread,
  search,
  target,
}: Context): Promise<{ is: Running; cluster: string }> {
  if (!existing) return { is: "unread", cluster: "" };
  const { ids, gpuPods } = target;
  const own = existing.filter(({ status, tags }) => isRunning(status) && ids.includes(tags?.[idTag] ?? ""));
  const isRival = (one: Cluster) =>
    isRunning(one.status) && search.clusters.includes(one.name ?? "") && !own.includes(one);
  const rival = ids.length === 0 ? undefined : existing.find(isRival);
  if (rival) {
    const id = rival.tags?.[idTag];
    const whose = id === undefined ? "no id" : `the id ${id}`;
    return {
      is: "rival",
      cluster: `the cluster ${rival.name} is ${rival.status} and has ${whose}, not that of this environment`,
    };
  }
  const isUnread = unread.some(({ what }) => what === "instances");
  if (isUnread && own.length > 0)
    return { is: "busy", cluster: "the instances could not be read, so pods may hold GPUs" };
  for (const cluster of own) {
    const hasGpus = found.some((one) => isGpuNode(one) && clusterOfTags(one.tags) === cluster.name);
    const why = hasGpus ? await gpuPods?.(cluster) : undefined;
    if (why !== undefined) return { is: "busy", cluster: why };
  }
  return { is: "nothing", cluster: "" };
}

function isGpuNode({ kind, detail = "" }: FoundObject): boolean {
  return kind === "instance" && /^(?:g|gr|p)\d\S*, (?:running|pending)$/.test(detail);
}

/** A cluster that runs, is of somebody else, and may use an object without an id. */
function livingUser(
  one: FoundObject,
  evidence: Evidence,
  { existing = [], search, target }: Context,
): string | undefined {
  if (!["former", "named", "place"].includes(evidence)) return undefined;
  const { ids, state, stack } = target;
  const named = one.cluster ?? clusterOfTags(one.tags);
  const user = existing.find(({ name = "", status, tags, resourcesVpcConfig: network }) => {
    if (!isRunning(status) || ids.includes(tags?.[idTag] ?? "") || state?.ids.has(name) === true) return false;
    const isTagged = evidence === "former" && tags?.[stackTag] === stack;
    const isIn = one.vpc !== undefined && network?.vpcId === one.vpc;
    return name === named || isIn || isTagged || (stack === undefined && search.clusters.includes(name));
  });
  return user && `the cluster ${user.name}, which is ${user.status}`;
}

/** Kinds that could not be read, and use others: roles and addresses, too. */
function unreadAround({ unread }: Context): string | undefined {
  const missing = unread.filter(({ what }) => inNetwork.some((one) => plural(one) === what));
  return missing.length === 0 ? undefined : missing.map(({ what }) => what).join(", ");
}

/**
 * The interrupted create that the object finishes. Tags can be copied, so it must have the name of the inputs. Without an id, as
 * of an earlier version, its tag Name must be that of the inputs.
 */
function adoptedBy(one: FoundObject, evidence: Evidence, { target }: Context): StateResource | undefined {
  const { state, ids } = target;
  const hasName = ({ inputs: { tags } }: StateResource) => isRecord(tags) && tags["Name"] === one.tags["Name"];
  return state?.pending.find((resource) => {
    if (!isOf(resource, one) || isMadeAgain(state, resource) || !isNamedBy(resource, one, state)) return false;
    return evidence === "id" || (ids.length === 0 && evidence === "former" && hasName(resource));
  });
}

/** Whether the inputs name the object. Without a name in them, what is to replace an object cannot be told from a copy of it. */
function isNamedBy({ inputs, urn }: StateResource, { id, detail }: FoundObject, { resources }: StackState): boolean {
  const given = Object.entries(inputs).filter(([key, name]) => nameInput.test(key) && typeof name === "string");
  if (given.length === 0) return resources.every((one) => one.urn !== urn);
  const names = [id, id.split("/").at(-1), detail];
  return given.some(([key, name]) =>
    names.some((one) => (key.endsWith("Prefix") ? one?.startsWith(String(name)) : one === name)),
  );
}

const nameInput = /^(?:name|nodeGroupName|addonName)(?:Prefix)?$/;

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

/** What counts as left over: what a cluster that runs uses does not. */
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
        // An object can match several filters.
        const all = new Map(objects.map((one) => [one.pulumiId ?? one.id, { ...one, kind }]));
        found.push(...all.values());
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

function sorted(leftovers: readonly Leftover[]): Leftover[] {
  const order = kinds.map(({ kind }) => kind);
  const rank = ({ kind }: Leftover) => order.indexOf(kind);
  return [...leftovers].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** Environments whose cluster runs, and whose objects have the tag of the stack: nothing of them is left over. */
function otherNotes({ existing = [] }: AccountReading, { ids, stack, region }: Target): string[] {
  if (stack === undefined || ids.length > 0) return [];
  return existing.flatMap(({ name, status, tags }) => {
    const id = tags?.[idTag];
    if (id === undefined || tags?.[stackTag] !== stack || !isRunning(status)) return [];
    const way = `If it is yours: npx eks-gpu-lab leftovers --id ${id} --region ${region}`;
    return [
      `The cluster ${name} (${status}) of the environment ${id} has the tag of this stack. Nothing of it is left over. ${way}`,
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
