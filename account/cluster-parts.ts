import type { Nodegroup } from "@aws-sdk/client-eks";
import { readNamesakes, type Namesake, type ReadNamesake } from "../components/preflight/namesakes";
import type { OwnObject } from "../components/preflight/own-objects";
import type { RunningPart } from "../components/preflight/part-rules";
import type { CapacityRequest } from "../components/preflight/preflight-facts";
import { allPages } from "../sessions/clients";
import type { Clients } from "./clients";

/** What has a name of the environment and is not in the state, as far as the state is known. */
export async function readNames(
  clients: Clients,
  request: CapacityRequest,
  clusterNames: readonly string[],
  own: readonly OwnObject[] | undefined,
): Promise<Namesake[]> {
  return readNamesakes(request, own, {
    cluster: async (name) => (clusterNames.includes(name) ? clusterOwner(clients, name) : undefined),
    "log group": (name) => logGroupOwner(clients, name),
    "key alias": (name) => existingAlias(clients, name),
  });
}

async function clusterOwner(clients: Clients, name: string): ReturnType<ReadNamesake> {
  const { cluster: { createdAt, tags = {} } = {} } = await clients.ask("eks", "eks:DescribeCluster", (eks) =>
    eks.describeCluster({ name }),
  );
  return { ...(createdAt && { created: createdAt.toISOString() }), tags };
}

async function logGroupOwner(clients: Clients, name: string): ReturnType<ReadNamesake> {
  const { logGroups = [] } = await clients.ask("logs", "logs:DescribeLogGroups", (logs) =>
    logs.describeLogGroups({ logGroupNamePrefix: name }),
  );
  const group = logGroups.find(({ logGroupName }) => logGroupName === name);
  const resourceArn = group?.logGroupArn ?? group?.arn?.replace(/:\*$/, "");
  if (!group || resourceArn === undefined) return undefined;
  const { tags = {} } = await clients.ask("logs", "logs:ListTagsForResource", (logs) =>
    logs.listTagsForResource({ resourceArn }),
  );
  const { creationTime } = group;
  return { ...(creationTime !== undefined && { created: new Date(creationTime).toISOString() }), tags };
}

async function existingAlias(clients: Clients, name: string): ReturnType<ReadNamesake> {
  const aliases = await allPages(async (Marker) => {
    const page = await clients.ask("kms", "kms:ListAliases", (kms) =>
      kms.listAliases({ ...(Marker !== undefined && { Marker }) }),
    );
    return { items: page.Aliases, next: page.NextMarker };
  });
  const found = aliases.find(({ AliasName }) => AliasName === name);
  return found && { ...(found.CreationDate && { created: found.CreationDate.toISOString() }) };
}

/** The state of node groups. */
export function groupParts(groups: readonly Nodegroup[]): RunningPart[] {
  return groups.map(({ nodegroupName: name = "", status = "", health }) => ({
    ...{ name, status, issues: issueTexts(health?.issues) },
  }));
}

/** The state of the add-ons of a cluster. */
export async function readAddonParts(clients: Clients, clusterName: string): Promise<RunningPart[]> {
  const names = await allPages(async (nextToken) => {
    const page = await clients.ask("eks", "eks:ListAddons", (eks) =>
      eks.listAddons({ clusterName, ...(nextToken !== undefined && { nextToken }) }),
    );
    return { items: page.addons, next: page.nextToken };
  });
  return Promise.all(
    names.map(async (addonName) => {
      const { addon: { status = "", health } = {} } = await clients.ask("eks", "eks:DescribeAddon", (eks) =>
        eks.describeAddon({ clusterName, addonName }),
      );
      return { name: addonName, status, issues: issueTexts(health?.issues) };
    }),
  );
}

interface Issue {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

function issueTexts(issues: readonly Issue[] = []): string[] {
  return issues.map(({ code = "Unknown", message = "" }) => `${code}: ${message}`);
}
