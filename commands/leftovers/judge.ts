import type { Cluster } from "@aws-sdk/client-eks";
import { withoutUndefined } from "../../components/core/reader/records";
import { idTag, nameTag, stackTag } from "../../components/core/stack-tags";
import type { Aws } from "../../aws/clients";
import { isOf, type Ownership } from "./evidence";
import { isRunning, type FoundObject, type Unread } from "./found";
import { clusterOfTags } from "./kinds/ec2-search";
import { plural } from "./kinds/kind";
import { kinds } from "./kinds/kinds";
import type { Leftover, Target } from "./leftover";
import { decide, usersOf, type Evidence, type Running, type Use } from "./ownership";
import type { AccountReading } from "./read-account";
import { isMadeAgain, type StackState, type StateResource } from "../stack/state";
import { readUsers } from "./users";

/** What decides about an object. */
interface Context extends AccountReading {
  readonly evidence: Ownership;
  readonly target: Target;
}

/** Where each kind of evidence counts as left over. */
const listedIf: Readonly<Record<Evidence, (one: FoundObject, context: Context) => boolean>> = {
  part: (one, context) => isListed(context.evidence.outerOf(one), context),
  // Nothing of an environment whose cluster runs is left over.
  other: ({ tags }, { existing = [] }) =>
    !existing.some((cluster) => isRunning(cluster.status) && cluster.tags?.[idTag] === tags[idTag]),
  place: ({ vpc = "" }, { target }) => target.ids.length === 0 || target.state?.ids.has(vpc) !== true,
  // While the state knows the cluster, what EKS and controllers create for it is in use.
  named: (_, context) => !isClusterKnown(context),
  aws: (_, context) => !isClusterKnown(context),
  former: () => true,
  id: isOfProgram,
  copy: isOfProgram,
};

/** What a controller creates for the cluster has the id, but no logical name. */
function isOfProgram({ tags }: FoundObject, context: Context): boolean {
  return tags[nameTag] !== undefined || !isClusterKnown(context);
}

function isClusterKnown({ search, target }: Context): boolean {
  return search.clusters.some((name) => target.state?.ids.has(name) === true);
}

/** Whether the object counts as left over: the state does not know it, and it does not go with an object of the state. */
function isListed(one: FoundObject | undefined, context: Context): boolean {
  if (!one || one.isHidden === true || context.evidence.isKnown(one)) return false;
  const evidence = context.evidence.of(one);
  return evidence !== undefined && listedIf[evidence](one, context);
}

/** Decides about each listed object, after reading what uses those that could be removed. */
export async function judge(aws: Aws, context: Context) {
  const { evidence, found } = context;
  const listed = new Set(found.filter((one) => isListed(one, context)));
  const running = await runningIn(context);
  const missing = new Map<string, Unread>();
  const around = unreadAround(context);
  const unreadOfKind = (one: FoundObject) => missing.get(one.kind)?.what ?? around;
  const isOpen = (one: FoundObject): boolean => {
    const outer = evidence.outerOf(one);
    if (context.target.ending?.includes(one.id) === true) return true;
    if (one.isHidden === true && outer) return isOpen(outer);
    if (!listed.has(one) || one.isEnding === true) return false;
    const use = unreadOfKind(one) === undefined ? "none" : "unread";
    return decide({ evidence: evidence.of(one) as Evidence, running: running.is, use }).decision === "remove";
  };
  const read = await readUsers(aws, found.filter(isOpen), found);
  for (const [kind, unread] of read.unread) missing.set(kind, unread);
  const users = usersOf([...found, ...read.users], (one) => !isOpen(one));
  const leftovers = [...listed].map((one) => {
    const living = livingUser(one, context);
    const unread = unreadOfKind(one);
    const user = living ?? users.get(one);
    const use: Use = user !== undefined ? "used" : unread === undefined ? "none" : "unread";
    return leftoverOf(one, { running, living, use, user: user ?? unread ?? "" }, context);
  });
  const ending = found.flatMap((one) => (one.isHidden === true && isOpen(one) ? [one.id] : []));
  return { leftovers, ending, unread: [...missing.values()] };
}

interface Around {
  readonly running: Awaited<ReturnType<typeof runningIn>>;
  readonly living: string | undefined;
  readonly use: Use;
  readonly user: string;
}

function leftoverOf(one: FoundObject, { running, living, use, user }: Around, context: Context): Leftover {
  const { evidence, target } = context;
  const { within: _, ...found } = one;
  const own = evidence.of(one) as Evidence;
  const { decision, why } = decide({ evidence: own, running: running.is, use });
  const outer = evidence.outerOf(one);
  const adopts = adoptedBy(one, own, context);
  const second = adopts ? undefined : evidence.secondOf(one);
  const within = outer && (outer.pulumiId ?? outer.id);
  const stays = decision !== "remove" && !adopts && one.isEnding !== true;
  const names = { cluster: running.cluster, user, id: one.tags[idTag] ?? "", region: target.region };
  const isInUse = decision === "hold" && (living !== undefined || ["rival", "unread"].includes(running.is));
  return {
    ...{ ...found, evidence: own },
    ...withoutUndefined({ within, logicalName: one.tags[nameTag], adopts, second }),
    ...(stays && { keep: why(names), hasCommands: decision === "keep" && outer === undefined, isInUse }),
  };
}

/** What runs in the region, and the words for it. */
async function runningIn(context: Context): Promise<{ readonly is: Running; readonly cluster: string }> {
  const { existing, found, unread, search, target } = context;
  if (!existing) return { is: "unread", cluster: "" };
  const { ids, gpuPods } = target;
  const running = existing.filter(({ status }) => isRunning(status));
  const own = running.filter(({ tags }) => ids.includes(tags?.[idTag] ?? ""));
  const isRival = (one: Cluster) => search.clusters.includes(one.name ?? "") && !own.includes(one);
  const rival = ids.length === 0 ? undefined : running.find(isRival);
  if (rival) return { is: "rival", cluster: rivalText(rival) };
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

function rivalText({ name, status, tags }: Cluster): string {
  const id = tags?.[idTag];
  const whose = id === undefined ? "no id" : `the id ${id}`;
  return `the cluster ${name} is ${status} and has ${whose}, not the id of this environment`;
}

function isGpuNode({ kind, detail = "" }: FoundObject): boolean {
  return kind === "instance" && /^(?:g|gr|p)\d\S*, (?:running|pending)$/.test(detail);
}

/** A cluster that runs, belongs to somebody else, and may use an object without an id. */
function livingUser(one: FoundObject, { existing = [], evidence, search, target }: Context): string | undefined {
  const of = evidence.of(one) ?? "";
  if (!["former", "named", "place"].includes(of)) return undefined;
  const { ids, state, stack } = target;
  const named = one.cluster ?? clusterOfTags(one.tags);
  const others = existing.filter(
    ({ name = "", status, tags }) =>
      isRunning(status) && !ids.includes(tags?.[idTag] ?? "") && state?.ids.has(name) !== true,
  );
  const isIn = (cluster: Cluster) => one.vpc !== undefined && cluster.resourcesVpcConfig?.vpcId === one.vpc;
  const isTagged = ({ tags }: Cluster) => of === "former" && tags?.[stackTag] === stack;
  const isAsked = ({ name = "" }: Cluster) => name === named || (stack === undefined && search.clusters.includes(name));
  const user = others.find((cluster) => isIn(cluster) || isTagged(cluster) || isAsked(cluster));
  return user && `the cluster ${user.name}, which is ${user.status}`;
}

/** Kinds that could not be read, and use others: roles and addresses, too. */
function unreadAround({ unread }: Context): string | undefined {
  const inNetwork = kinds.filter(({ isInNetwork }) => isInNetwork === true).map(({ kind }) => plural(kind));
  const missing = unread.filter(({ what }) => inNetwork.includes(what));
  return missing.length === 0 ? undefined : missing.map(({ what }) => what).join(", ");
}

/**
 * The interrupted create that the object finishes. Tags can be copied, so it must have the name of the inputs. Another stack of
 * an earlier version can have the same tags: without an id, the inputs must have a name, and only one object may have it.
 */
function adoptedBy(one: FoundObject, evidence: Evidence, { target, found }: Context): StateResource | undefined {
  const { state, ids } = target;
  const isOnly = (resource: StateResource) =>
    namesIn(resource).length > 0 && found.every((other) => other === one || !isOf(resource, other));
  return state?.pending.find((resource) => {
    if (!isOf(resource, one) || isMadeAgain(state, resource) || !isNamedBy(resource, one, state)) return false;
    return evidence === "id" || (ids.length === 0 && evidence === "former" && isOnly(resource));
  });
}

/** Whether the inputs name the object. Without a name in them, what is to replace an object cannot be told from a copy of it. */
function isNamedBy(resource: StateResource, { id, detail }: FoundObject, { resources }: StackState): boolean {
  const given = namesIn(resource);
  if (given.length === 0) return resources.every((one) => one.urn !== resource.urn);
  const names = [id, id.split("/").at(-1), detail];
  return given.some(([key, name]) =>
    names.some((one) => (key.endsWith("Prefix") ? one?.startsWith(String(name)) : one === name)),
  );
}

function namesIn({ inputs }: StateResource) {
  return Object.entries(inputs).filter(([key, name]) => nameInput.test(key) && typeof name === "string");
}

const nameInput = /^(?:name|nodeGroupName|addonName)(?:Prefix)?$/;
