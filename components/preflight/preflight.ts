import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import { getRegion } from "@pulumi/aws/getRegion";
import { getSessionContext } from "@pulumi/aws/iam/getSessionContext";
import { attempt, ifExists } from "./attempt";
import type { CapacityRequest, PreflightFacts, SecondObjects } from "./preflight-facts";
import { previewSource } from "./preview-source";
import { ownClusters, readFacts, type ReadFact } from "./read-facts";
import { readRunningEnvironment } from "./read-running-environment";
import { getElasticIp } from "@pulumi/aws/ec2/getElasticIp";
import { getLaunchTemplate } from "@pulumi/aws/ec2/getLaunchTemplate";
import { getResources } from "@pulumi/aws/resourcegroupstaggingapi/getResources";
import { nameTag, stackTag } from "../core/stack-tags";

/**
 * Reads from AWS the facts for {@link preflightProblems}, before any resource is created: zones, offerings, vCPU quota
 * and what runs of it, AMI releases, the caller and its account, the existing clusters, the names that are taken, the node
 * groups of the cluster, the free addresses of an existing subnet, what an interrupted update left, and the existing
 * environment with the GPU nodes and pods that a change would end. Read-only. A part that cannot be read, because a permission is missing, is left out
 * with a warning. Values that an offline plan cannot know are left out silently. Without a request there is nothing to
 * read.
 */
export async function readPreflightFacts(request: CapacityRequest | undefined): Promise<PreflightFacts> {
  if (request === undefined) return {};
  const { change, clusterName } = request;
  const tag = change?.stackTag;
  const secondObjects = async () => (tag === undefined ? undefined : readSecondObjects(tag, clusterName));
  const parts = await Promise.all([
    readFacts(request, previewSource(request), readOrWarn),
    readOrWarn("account", async () => (await getCallerIdentity()).accountId, "the caller's account"),
    readOrWarn("callerArn", readCaller, "the caller's identity"),
    readOrWarn("region", async () => (await getRegion()).region, "the region"),
    readOrWarn("secondObjects", secondObjects, "the addresses and launch templates of the stack"),
  ]);
  const facts = Object.assign({}, ...parts) as PreflightFacts;
  const { zones = [] } = facts;
  const running = change && facts.clusterNames && (await readRunningEnvironment(change, ownClusters(facts), zones));
  return { ...facts, ...(running && { running }) };
}

const readOrWarn: ReadFact = async (name, read, what) => {
  const value = await attempt(what, read);
  return (value === undefined ? {} : { [name]: value }) as Pick<PreflightFacts, typeof name>;
};

/** The role or user of the credentials. The ARN of a session contains the session instead. */
async function readCaller(): Promise<string | undefined> {
  const { arn } = await getCallerIdentity();
  const { issuerArn } = await getSessionContext({ arn });
  return typeof issuerArn === "string" ? issuerArn : undefined;
}

interface Kind {
  /** Its type in ARNs of EC2. */
  readonly type: string;
  readonly kind: SecondObjects["kind"];
  /** Fails if there is no such object. */
  readonly read: (id: string) => Promise<unknown>;
}

/** What an update that repeats an interrupted create creates a second time, other than node groups. */
const kinds: readonly Kind[] = [
  { type: "elastic-ip", kind: "elastic address", read: (id) => getElasticIp({ id }) },
  { type: "launch-template", kind: "launch template", read: (id) => getLaunchTemplate({ id }) },
];

/**
 * Reads the addresses and launch templates of a stack that share a logical name. One request, unless there are some: the
 * tagging API still lists objects that were deleted, so each of those is read.
 *
 * @param stack the value of the stack tag, which another lab can have, too
 * @param clusterName what the Name of the stack's own objects begins with
 */
async function readSecondObjects(stack: string, clusterName: string): Promise<SecondObjects[]> {
  const { resourceTagMappingLists: all = [] } = (await getResources({
    tagFilters: [{ key: stackTag, values: [stack] }],
    resourceTypeFilters: kinds.map(({ type }) => `ec2:${type}`),
  })) as Partial<Awaited<ReturnType<typeof getResources>>>;
  const own = all.filter(({ tags }) => tags["Name"]?.startsWith(`${clusterName}-`) === true);
  const byName = new Map<string, { readonly kind: Kind; readonly name: string; readonly ids: string[] }>();
  for (const { resourceArn, tags } of own) {
    // The end of `arn:aws:ec2:REGION:ACCOUNT:elastic-ip/eipalloc-1`.
    const [type, id = ""] = resourceArn.split(":").slice(5).join(":").split("/");
    const kind = kinds.find((one) => one.type === type);
    const name = tags[nameTag] ?? "";
    if (!kind || name === "") continue;
    const key = `${type} ${name} ${tags["Name"]}`;
    byName.set(key, { kind, name, ids: [...(byName.get(key)?.ids ?? []), id] });
  }
  const several = [...byName.values()].filter(({ ids }) => ids.length > 1);
  const existing = several.map(async ({ kind: { kind, read }, name, ids }) => {
    const found = await Promise.all(ids.map(async (id) => ((await ifExists(read(id))) === undefined ? [] : [id])));
    return { kind, name, ids: found.flat().sort() };
  });
  return (await Promise.all(existing)).filter(({ ids }) => ids.length > 1);
}
