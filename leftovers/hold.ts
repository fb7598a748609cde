import type { Cluster } from "@aws-sdk/client-eks";
import { stackTag } from "../components/core/stack-tags";
import { isRunning } from "./found";
import { clusterOfTags } from "./kinds/ec2-search";
import { type FoundObject } from "./owner";

/** Why an object must stay. */
export interface Hold {
  readonly why: string;
  /** Whether a cluster that runs uses it. */
  readonly isInUse: boolean;
  /** Whether the commands that remove it are shown: not those for another lab. */
  readonly hasCommands: boolean;
}

/** What decides whether an object must stay. */
export interface HoldContext {
  /** The value of the stack tag; undefined if only a cluster is searched. */
  readonly stack: string | undefined;
  /** The clusters of the stack, or the one that is searched. */
  readonly clusters: readonly string[];
  /** The clusters of the region; undefined if they could not be read. */
  readonly existing: readonly Cluster[] | undefined;
  readonly ownerOf: (one: FoundObject) => string | undefined;
}

/** Why an object must stay; undefined if it can be removed. */
export function holdOf(one: FoundObject, context: HoldContext): Hold | undefined {
  if (one.isEnding === true) return undefined;
  if (!context.existing) return inUse("the clusters of the region could not be read, so one may use it");
  return context.stack === undefined ? holdOfCluster(one, context) : holdOfStack(one, context, context.stack);
}

function inUse(why: string): Hold {
  return { why, isInUse: true, hasCommands: false };
}

const unknown: Hold = {
  why: "it has no tag of the stack or the cluster: check what it is, and remove it yourself",
  isInUse: false,
  hasCommands: true,
};

/** A cluster with this name that is not being deleted. */
function runningIn({ existing = [] }: HoldContext, name: string | undefined): Cluster | undefined {
  return existing.find((one) => one.name === name && isRunning(one.status));
}

/** What has the tag of the stack, or a tag of its cluster, or is only in its VPC. */
function holdOfStack(one: FoundObject, context: HoldContext, stack: string): Hold | undefined {
  const { clusters, ownerOf } = context;
  const of = ownerOf(one);
  const isOwn = of !== undefined && clusters.includes(of);
  if (one.tags[stackTag] === stack) return isOwn ? undefined : holdOfOther(one, of, context, stack);
  const running = runningIn(context, of);
  if (running && (!isOwn || running.tags?.[stackTag] !== stack))
    return inUse(`the cluster ${of}, which the stack did not create, uses it`);
  return isOfClusters(one, clusters) ? undefined : unknown;
}

/** Several stacks can have the same tag: with a local backend, all of one name. */
function holdOfOther(one: FoundObject, of: string | undefined, context: HoldContext, stack: string): Hold {
  const { clusters } = context;
  const way = `npx eks-gpu-lab leftovers --stack ${stack.split("/").at(-1)} --cluster ${of}`;
  const running = runningIn(context, of);
  const doubt = "another lab can have the tag of this stack";
  if (running) {
    const why = `the cluster ${of}, which is ${running.status}, uses it and is not that of this stack: ${doubt}`;
    return inUse(`${why}. If it is yours: ${way}`);
  }
  if (of !== undefined) {
    const why = `it belongs to the cluster ${of}, which is not that of this stack: ${doubt}. If it is yours: ${way}`;
    return { why, isInUse: false, hasCommands: false };
  }
  const names =
    clusters.length === 0 ? "the cluster of the stack is not known" : `it is not named after ${clusters.join(" or ")}`;
  return { ...unknown, why: `${names}, and ${doubt}: check what it is, and remove it yourself` };
}

/** Without a stack, nothing says what a running cluster needs. */
function holdOfCluster(one: FoundObject, context: HoldContext): Hold | undefined {
  const { clusters, ownerOf } = context;
  const owner = one.tags[stackTag];
  const running = runningIn(context, clusters[0]) ?? runningIn(context, ownerOf(one));
  if (owner !== undefined) {
    const name = owner.split("/").at(-1);
    const why = `the stack ${owner} created it: use --stack ${name}; if it was removed, run pulumi stack init ${name} first`;
    return { why, isInUse: running !== undefined, hasCommands: false };
  }
  if (running) {
    const way = "destroy it with its program first, or use --stack for a lab stack";
    return inUse(`the cluster ${running.name} is ${running.status} and may use it: ${way}`);
  }
  const isNamed = clusters.some((name) => one.tags["Name"]?.startsWith(`${name}-`) === true);
  return isNamed || isOfClusters(one, clusters) ? undefined : unknown;
}

function isOfClusters({ cluster, tags }: FoundObject, clusters: readonly string[]): boolean {
  return clusters.includes(cluster ?? clusterOfTags(tags) ?? "");
}
