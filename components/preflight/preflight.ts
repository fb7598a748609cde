import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import { getRegion } from "@pulumi/aws/getRegion";
import { getSessionContext } from "@pulumi/aws/iam/getSessionContext";
import { attempt } from "./attempt";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";
import { previewSource } from "./preview-source";
import { ownClusters, readFacts, type ReadFact } from "./read-facts";
import { readRunningEnvironment } from "./read-running-environment";
import { readSecondObjects } from "./read-second-objects";

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
