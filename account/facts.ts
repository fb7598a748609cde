import type { Nodegroup } from "@aws-sdk/client-eks";
import type { CapacityRequest, PreflightFacts, PublishedImage } from "../components/preflight/preflight-facts";
import { secondGroupsOf, type SecondGroups } from "../components/preflight/preflight-leftovers";
import type { OwnObject } from "../components/preflight/own-objects";
import { groupPrefix } from "../components/preflight/running-group";
import { groupsThatMayStart, newestGroup, readClusters, readNodeGroups, readRunningVcpus } from "./capacity";
import type { Clients } from "./clients";
import { groupParts, readAddonParts, readNames } from "./cluster-parts";
import { FactReader } from "./fact-reader";
import type { Identity } from "./identity";
import type { MissingFacts } from "./check-result";
import { readPermissions } from "./permissions";
import { readOfferings, readQuota, readSubnets, readZones } from "./region";
import { readAddon, readParameter } from "./versions";

/** What could be read of the account, and why the rest could not. */
export interface AccountReading extends MissingFacts {
  readonly facts: PreflightFacts;
  /** What limits a check that was made nevertheless. */
  readonly notes: readonly string[];
}

export interface AccountQuestions {
  readonly clients: Clients;
  readonly identity: Identity;
  readonly request: CapacityRequest;
  /** The IAM actions that the plan needs. */
  readonly actions: readonly string[];
  /** What the state of the stack has. @default the state is not known */
  readonly own?: readonly OwnObject[];
  /** @default the zones are read */
  readonly zones?: readonly string[];
  /** The caller's public address, or why it is not known. */
  readonly address: { readonly address: string } | { readonly why: string };
}

/**
 * Reads with the AWS SDK the facts that a preview reads with Pulumi's functions, and those that Pulumi has no function
 * for. Read-only. A part that may not be read is left out.
 *
 * @throws AwsError when credentials, region or network are wrong: then nothing can be read
 */
export async function readAccount(questions: AccountQuestions): Promise<AccountReading> {
  const { clients, identity, request, actions, address } = questions;
  const reader = new FactReader();
  const types = [request.instanceType, request.systemInstanceType];
  const { quotaCode } = request;
  const [cluster, ...parts] = await Promise.all([
    readClusterFacts(reader, questions),
    questions.zones ? { zones: questions.zones } : reader.read("zones", () => readZones(clients)),
    reader.read("offerings", () => readOfferings(clients, types)),
    quotaCode === undefined ? {} : reader.read("quotaVcpus", () => readQuota(clients, quotaCode)),
    reader.read("images", () => readImages(clients, request)),
    reader.read("addonVersions", () => readAddons(clients, request)),
    reader.read("permissions", () => readPermissions(clients, identity, actions)),
  ]);
  const { clusterName } = request;
  const isUnclear = !questions.own && cluster.clusterNames?.includes(clusterName) === true;
  const skipped = {
    running: "Only a preview compares the running environment: run pulumi preview.",
    ...(isUnclear && { namesakes: `The cluster ${clusterName} exists. Without the state, its owner is not known.` }),
  };
  if ("why" in address) reader.unread.callerAddress = address.why;
  const known: PreflightFacts = {
    ...{ callerArn: identity.arn, region: clients.region },
    ...("address" in address && { callerAddress: address.address }),
  };
  const facts = Object.assign({}, known, cluster, ...parts) as PreflightFacts;
  return { facts, unread: reader.unread, skipped, notes: reader.notes };
}

/** What depends on the clusters of the region: their node groups, and what a deleted cluster left. */
async function readClusterFacts(reader: FactReader, questions: AccountQuestions): Promise<Partial<PreflightFacts>> {
  const { clients, request, own } = questions;
  const found = await reader.read("clusterNames", () => readClusters(clients));
  const names = found.clusterNames;
  const isUnclear = !names || (!own && names.includes(request.clusterName));
  const taken = isUnclear ? {} : await reader.read("namesakes", () => readNames(clients, request, names, own));
  const isOther = taken.namesakes?.some(({ kind }) => kind === "cluster") === true;
  const groups = await readGroups(reader, questions, names ?? []);
  const ofCluster = isOther ? undefined : groups.get(request.clusterName);
  const parts = await Promise.all([
    vcpuFacts(reader, questions, [...groups.values()].flat()),
    subnetFacts(reader, questions, ofCluster),
    ofCluster && clusterParts(reader, questions, ofCluster),
  ]);
  return Object.assign({}, found, own && { own }, taken, ...parts) as Partial<PreflightFacts>;
}

/** The node groups by cluster, as far as they may be read. */
async function readGroups(
  reader: FactReader,
  { clients, request }: AccountQuestions,
  clusterNames: readonly string[],
): Promise<ReadonlyMap<string, readonly Nodegroup[]>> {
  const groups = new Map<string, readonly Nodegroup[]>();
  for (const name of clusterNames) {
    const result = await reader.attempt(() => readNodeGroups(clients, name));
    if ("value" in result) groups.set(name, result.value);
    else if (name === request.clusterName) {
      for (const fact of ["runningGroups", "secondGroups", "parts", "gpuSubnet"] as const)
        reader.unread[fact] = result.why;
    } else reader.notes.push(`The node groups of the cluster ${name} are not counted: ${result.why}`);
  }
  return groups;
}

/** Sizes and state of the node groups, and the state of the add-ons. */
async function clusterParts(reader: FactReader, { clients, request }: AccountQuestions, groups: readonly Nodegroup[]) {
  const addons = await reader.attempt(() => readAddonParts(clients, request.clusterName));
  if ("why" in addons) reader.notes.push(`The add-ons of the cluster are not checked: ${addons.why}`);
  return {
    runningGroups: runningOf(request, groups),
    secondGroups: secondGroupsIn(request, groups),
    parts: { groups: groupParts(groups), ...("value" in addons && { addons: addons.value }) },
  };
}

/** The subnet of the running group, or else the existing one of the arguments. */
async function subnetFacts(
  reader: FactReader,
  { clients, request: { clusterName, gpuSubnetId } }: AccountQuestions,
  groups: readonly Nodegroup[] = [],
) {
  const id = newestGroup(groups, groupPrefix(clusterName, "gpuNodes"))?.subnetIds?.[0] ?? gpuSubnetId;
  return id === undefined ? {} : reader.read("gpuSubnet", () => readGpuSubnet(clients, id));
}

function runningOf(request: CapacityRequest, groups: readonly Nodegroup[]): PreflightFacts["runningGroups"] {
  const sections = (request.scaledGroups ?? []).map(({ section, namePrefix }) => [
    section,
    newestGroup(groups, namePrefix),
  ]);
  return Object.fromEntries(sections) as PreflightFacts["runningGroups"];
}

function secondGroupsIn({ clusterName }: CapacityRequest, groups: readonly Nodegroup[]): SecondGroups[] {
  return secondGroupsOf(
    clusterName,
    groups.flatMap(({ nodegroupName }) => nodegroupName ?? []),
  );
}

async function vcpuFacts(reader: FactReader, { clients, request }: AccountQuestions, groups: readonly Nodegroup[]) {
  if (request.quotaCode === undefined) return {};
  return reader.read("vcpuUse", async () => ({
    running: await readRunningVcpus(clients, request),
    mayStart: groupsThatMayStart(groups, request),
  }));
}

async function readGpuSubnet(clients: Clients, id: string): Promise<PreflightFacts["gpuSubnet"]> {
  const [subnet] = await readSubnets(clients, [id]);
  return subnet && { id, freeAddresses: subnet.freeAddresses };
}

async function readImages(clients: Clients, { images = [] }: CapacityRequest): Promise<PreflightFacts["images"]> {
  const names = [...new Set(images.map(({ name }) => name))];
  const found = names.map(async (name): Promise<[string, PublishedImage]> => {
    const release = await readParameter(clients, `${name}/release_version`);
    return [name, release === undefined ? { exists: false } : { exists: true, release }];
  });
  return Object.fromEntries(await Promise.all(found));
}

async function readAddons(
  clients: Clients,
  { addons = [], kubernetesVersion }: CapacityRequest,
): Promise<PreflightFacts["addonVersions"]> {
  if (kubernetesVersion === undefined) return undefined;
  const found = addons.map(async ({ name }) => {
    const { versions } = await readAddon(clients, name, kubernetesVersion);
    return [name, versions] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}
