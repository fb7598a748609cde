import { readPermissions, type Identity } from "./caller";
import type { MissingFacts } from "./check-result";
import {
  groupsThatMayStart,
  poolNotes,
  issueTexts,
  readClusters,
  readNodeGroups,
  readOffers,
  readQuota,
  readRunningVcpus,
  readSubnets,
  readZones,
} from "./region";
import { readAddon, readParameter } from "./versions";
import { AwsError, type AwsErrorKind } from "../aws-error";
import { within, type Aws } from "../clients";
import type { ReadNamesake } from "../../components/preflight/namesakes";
import type { OwnObject } from "../../components/preflight/own-objects";
import type { PreflightFacts, CapacityRequest, FixedKind } from "../../components/preflight/preflight-facts";
import { readFacts, type FactSource } from "../../components/preflight/read-facts";
import type { RunningPart } from "../../components/preflight/running-group";

interface ReaderOptions {
  /** Errors after which no other request can work: they end the reading. */
  readonly fatal: readonly AwsErrorKind[];
  /** How long a part may take. @default as long as the SDK waits */
  readonly seconds?: number;
}

/** Collects why parts could not be read. */
export class FactReader {
  readonly unread: Partial<Record<keyof PreflightFacts, string>> = {};
  readonly notes: string[] = [];

  constructor(private readonly options: ReaderOptions = { fatal: ["identity", "network", "region"] }) {}

  readonly read = async <Name extends keyof PreflightFacts>(
    name: Name,
    read: () => Promise<PreflightFacts[Name] | undefined>,
  ): Promise<Pick<PreflightFacts, Name>> => {
    const result = await this.attempt(read);
    if ("why" in result) this.miss([name], result.why);
    const isKnown = "value" in result && result.value !== undefined;
    return (isKnown ? { [name]: result.value } : {}) as Pick<PreflightFacts, Name>;
  };

  miss(names: readonly (keyof PreflightFacts)[], why: string): void {
    for (const name of names) this.unread[name] = why;
  }

  /** @throws AwsError when no other request can work */
  async attempt<T>(read: () => Promise<T>): Promise<{ readonly value: T } | { readonly why: string }> {
    const { fatal, seconds } = this.options;
    try {
      return { value: await (seconds === undefined ? read() : within(seconds, "the account", read())) };
    } catch (error) {
      if (error instanceof AwsError && fatal.includes(error.kind)) throw error;
      return { why: whyUnread(error) };
    }
  }
}

/** Why AWS did not answer. Throws what is not an error of AWS. */
export function whyUnread(error: unknown): string {
  if (!(error instanceof AwsError)) throw error;
  return error.kind === "denied" ? `The permission ${error.action} is missing.` : error.why;
}

/** What could be read of the account, and why the rest could not. */
export interface AccountReading extends MissingFacts {
  readonly facts: PreflightFacts;
  /** What limits a check that was made nevertheless. */
  readonly notes: readonly string[];
}

interface AccountQuestions {
  readonly clients: Aws;
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
  const { clients, identity, request, actions, address, own } = questions;
  const { clusterName } = request;
  const reader = new FactReader();
  const [shared, addons, permissions] = await Promise.all([
    readFacts(request, accountSource(reader, questions), reader.read),
    reader.read("addonVersions", () => readAddons(clients, request)),
    reader.read("permissions", () => readPermissions(clients, identity, actions)),
  ]);
  const isUnclear = !own && shared.clusterNames?.includes(clusterName) === true;
  const skipped = {
    running: "Only a preview compares the running environment: run pulumi preview.",
    ...(isUnclear && { namesakes: `The cluster ${clusterName} exists. Without the state, its owner is not known.` }),
  };
  if ("why" in address) reader.unread.callerAddress = address.why;
  const facts: PreflightFacts = {
    ...{ callerArn: identity.arn, region: clients.region },
    ...("address" in address && { callerAddress: address.address }),
    ...{ ...shared, ...addons, ...permissions },
  };
  return { facts, unread: reader.unread, skipped, notes: reader.notes };
}

function accountSource(reader: FactReader, questions: AccountQuestions): FactSource {
  const { clients, request, zones, own } = questions;
  const { clusterName, quotaCode } = request;
  const groups = new Map<string, Awaited<ReturnType<typeof readNodeGroups>>>();
  return {
    zones: async () => zones ?? readZones(clients),
    offers: (types) => readOffers(clients, types),
    quota: (code) => readQuota(clients, code),
    image: async (name) => {
      const release = await readParameter(clients, `${name}/release_version`);
      return release === undefined ? { exists: false } : { exists: true, release };
    },
    clusterNames: () => readClusters(clients),
    own: () => Promise.resolve(own),
    namesakes: (clusterNames) => namesakeReaders(clients, clusterNames),
    groups: async (clusterNames) => {
      for (const name of clusterNames) {
        const found = await reader.attempt(() => readNodeGroups(clients, name));
        if ("value" in found) groups.set(name, found.value);
        else if (name === clusterName) reader.miss(["runningGroups", "secondGroups", "parts", "gpuSubnet"], found.why);
        else reader.notes.push(`The node groups of the cluster ${name} are not counted: ${found.why}`);
      }
      return groups.get(clusterName);
    },
    addons: async () => {
      const addons = await reader.attempt(() => readAddonParts(clients, clusterName));
      if ("value" in addons) return addons.value;
      reader.notes.push(`The add-ons of the cluster are not checked: ${addons.why}`);
      return undefined;
    },
    vcpuUse: async () => {
      if (quotaCode === undefined) return undefined;
      reader.notes.push(...poolNotes([...groups.keys()], clusterName));
      const running = await readRunningVcpus(clients, request);
      return { running, mayStart: groupsThatMayStart([...groups.values()].flat(), request) };
    },
    freeAddresses: async (id) => (await readSubnets(clients, [id]))[0]?.freeAddresses,
  };
}

async function readAddons(
  clients: Aws,
  { addons = [], kubernetesVersion }: CapacityRequest,
): Promise<PreflightFacts["addonVersions"]> {
  if (kubernetesVersion === undefined) return undefined;
  const found = addons.map(async ({ name }) => {
    const { versions } = await readAddon(clients, name, kubernetesVersion);
    return [name, versions] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Reads what has a name. */
function namesakeReaders(clients: Aws, clusterNames: readonly string[]): Readonly<Record<FixedKind, ReadNamesake>> {
  return {
    cluster: async (name) => {
      if (!clusterNames.includes(name)) return undefined;
      const { cluster } = await clients.ask("eks:DescribeCluster", { name });
      return { ...madeAt(cluster?.createdAt), tags: cluster?.tags ?? {} };
    },
    "log group": async (name) => {
      const { logGroups = [] } = await clients.ask("logs:DescribeLogGroups", { logGroupNamePrefix: name });
      const group = logGroups.find(({ logGroupName }) => logGroupName === name);
      const resourceArn = group?.logGroupArn ?? group?.arn?.replace(/:\*$/, "");
      if (resourceArn === undefined) return undefined;
      const { tags = {} } = await clients.ask("logs:ListTagsForResource", { resourceArn });
      return { ...madeAt(group?.creationTime), tags };
    },
    "key alias": async (name) => {
      const aliases = await clients.list("kms:ListAliases", "Aliases", {});
      const found = aliases.find(({ AliasName }) => AliasName === name);
      return found && madeAt(found.CreationDate);
    },
  };
}

function madeAt(time: Date | number | undefined): { readonly created?: string } {
  return time === undefined ? {} : { created: new Date(time).toISOString() };
}

/** The state of the add-ons of a cluster. */
async function readAddonParts(clients: Aws, clusterName: string): Promise<RunningPart[]> {
  const names = await clients.list("eks:ListAddons", "addons", { clusterName });
  return Promise.all(
    names.map(async (addonName) => {
      const { addon = {} } = await clients.ask("eks:DescribeAddon", { clusterName, addonName });
      const { status = "", health } = addon;
      return { name: addonName, status, issues: issueTexts(health) };
    }),
  );
}
