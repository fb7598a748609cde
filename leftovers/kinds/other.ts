import type { KeyListEntry, KMS } from "@aws-sdk/client-kms";
import type { LogGroup } from "@aws-sdk/client-cloudwatch-logs";
import { allPages } from "../../sessions/clients";
import { codeOf, type Aws } from "../aws";
import { free, sinceOf, tagsOf, type Found, type Rate } from "../found";
import { monthly, unpriced } from "../rates";
import { inTurn, withNamesOf } from "./by-name";
import type { Kind } from "./kind";

/** The prefixes of the log groups of clusters: control plane, flow logs, Container Insights. The cluster follows. */
const logPrefixes = ["/aws/eks/", "/aws/vpc/", "/aws/containerinsights/"];

/** The cluster in the name of a log group. */
function clusterOfLogs(name: string): string | undefined {
  const prefix = logPrefixes.find((one) => name.startsWith(one)) ?? "";
  return name.slice(prefix.length).split("/")[0];
}

/** Log groups. EKS and the agents write them without tags, so the name decides, too. */
export const logGroups: Kind = {
  kind: "log group",
  type: "aws:cloudwatch/logGroup:LogGroup",
  reads: ["logs:DescribeLogGroups", "logs:ListTagsForResource"],
  read: async (aws, search) => {
    const logs = await aws.logs();
    const lists = logPrefixes.map((logGroupNamePrefix) =>
      allPages<LogGroup>(async (nextToken) => {
        const answer = await logs.describeLogGroups({
          logGroupNamePrefix,
          ...(nextToken !== undefined && { nextToken }),
        });
        return { items: answer.logGroups, next: answer.nextToken };
      }),
    );
    const all = (await Promise.all(lists)).flat();
    const own = withNamesOf("log groups", all, ({ logGroupName = "" }) => clusterOfLogs(logGroupName), search);
    return inTurn(own, (one) => logGroup(aws, one));
  },
};

async function logGroup(aws: Aws, one: LogGroup): Promise<Found> {
  const { logGroupName: name = "", arn = "", creationTime, storedBytes = 0 } = one;
  const cluster = clusterOfLogs(name);
  const logs = await aws.logs();
  const { tags = {} } = await logs.listTagsForResource({ resourceArn: arn.replace(/:\*$/, "") });
  const rate: Rate = storedBytes === 0 ? free : unpriced("the price table has no storage of logs");
  return {
    ...{ id: name, detail: `${(storedBytes / 2 ** 30).toFixed(2)} GiB`, tags, rate },
    ...sinceOf(creationTime === undefined ? undefined : new Date(creationTime)),
    ...(cluster !== undefined && { cluster }),
    steps: [
      {
        cli: `logs delete-log-group --log-group-name ${name}`,
        action: "logs:DeleteLogGroup",
        run: () => logs.deleteLogGroup({ logGroupName: name }),
      },
    ],
  };
}

/** The cluster follows. */
const aliasPrefix = "alias/eks/";

/** Days until AWS deletes a key: the least that KMS accepts. */
const pendingDays = 7;

/** The keys of the account itself, each with its aliases. */
export const keys: Kind = {
  kind: "KMS key",
  type: "aws:kms/key:Key",
  reads: ["kms:ListKeys", "kms:ListAliases", "kms:DescribeKey", "kms:ListResourceTags"],
  read: async (aws, { clusters }) => {
    const kms = await aws.kms();
    const [all, aliases] = await Promise.all([keysOf(kms), aliasesOf(kms)]);
    const found: Found[] = [];
    for (const { KeyId: id = "" } of all) {
      const own = aliases.flatMap(({ name, key }) => (key === id ? [name] : []));
      if (own.some((name) => name.startsWith("alias/aws/"))) continue;
      found.push(...(await key(aws, id, own, clusters)));
    }
    return found;
  },
};

function keysOf(kms: KMS): Promise<KeyListEntry[]> {
  return allPages(async (Marker) => {
    const answer = await kms.listKeys({ ...(Marker !== undefined && { Marker }) });
    return { items: answer.Keys, next: answer.NextMarker };
  });
}

async function aliasesOf(kms: KMS): Promise<{ readonly name: string; readonly key: string | undefined }[]> {
  const all = await allPages(async (Marker) => {
    const answer = await kms.listAliases({ ...(Marker !== undefined && { Marker }) });
    return { items: answer.Aliases, next: answer.NextMarker };
  });
  return all.map(({ AliasName = "", TargetKeyId }) => ({ name: AliasName, key: TargetKeyId }));
}

/** A key; none if its policy does not let the caller read it, because then it is another one's. */
async function key(aws: Aws, id: string, aliases: readonly string[], clusters: readonly string[]): Promise<Found[]> {
  const kms = await aws.kms();
  const read = await readKey(kms, id);
  if (!read || read.manager !== "CUSTOMER") return [];
  const { tags, created, deletion } = read;
  const isPending = deletion !== undefined;
  const cluster = aliases.find((name) => name.startsWith(aliasPrefix))?.slice(aliasPrefix.length);
  const deleteAlias = (AliasName: string) => ({
    cli: `kms delete-alias --alias-name ${AliasName}`,
    action: "kms:DeleteAlias",
    run: () => kms.deleteAlias({ AliasName }),
  });
  const schedule = {
    cli: `kms schedule-key-deletion --key-id ${id} --pending-window-in-days ${pendingDays}`,
    action: "kms:ScheduleKeyDeletion",
    run: () => kms.scheduleKeyDeletion({ KeyId: id, PendingWindowInDays: pendingDays }),
  };
  return [
    {
      ...{ id, tags, detail: isPending ? `AWS deletes it on ${deletion}` : aliases.join(", ") },
      ...sinceOf(created),
      ...(cluster !== undefined && { cluster }),
      // An alias that names no cluster of the environment is one that somebody else gave to the key.
      usedBy: aliases
        .filter((name) => !clusters.some((one) => name === `${aliasPrefix}${one}`))
        .map((name) => `alias ${name}`),
      rate: isPending ? { perDay: 0, note: "free while its deletion is pending" } : monthly(aws.region, "kms-key"),
      ...(isPending && { isEnding: true }),
      steps: isPending ? [] : [...aliases.map(deleteAlias), schedule],
    },
  ];
}

async function readKey(kms: KMS, KeyId: string) {
  try {
    const [{ KeyMetadata }, { Tags = [] }] = await Promise.all([
      kms.describeKey({ KeyId }),
      kms.listResourceTags({ KeyId }),
    ]);
    const tags = tagsOf(Tags.map(({ TagKey, TagValue }) => ({ Key: TagKey, Value: TagValue })));
    const isPending = KeyMetadata?.KeyState === "PendingDeletion";
    const deletion = isPending ? (KeyMetadata?.DeletionDate?.toISOString().slice(0, 10) ?? "a later day") : undefined;
    return { tags, manager: KeyMetadata?.KeyManager, created: KeyMetadata?.CreationDate, deletion };
  } catch (error) {
    if (codeOf(error) === "AccessDeniedException") return undefined;
    throw error;
  }
}

/** The schedules of a lease, by group: deleting a group deletes its schedules. */
export const scheduleGroups: Kind = {
  kind: "schedule group",
  type: "aws:scheduler/scheduleGroup:ScheduleGroup",
  reads: ["scheduler:ListScheduleGroups", "scheduler:ListTagsForResource"],
  read: async (aws, search) => {
    const scheduler = await aws.scheduler();
    const all = await allPages(async (NextToken) => {
      const answer = await scheduler.listScheduleGroups({ ...(NextToken !== undefined && { NextToken }) });
      return { items: answer.ScheduleGroups, next: answer.NextToken };
    });
    const existing = all.filter(({ Name, State }) => Name !== "default" && State !== "DELETING");
    const own = withNamesOf("schedule groups", existing, ({ Name }) => Name, search);
    return inTurn(own, async ({ Name: name = "", Arn, CreationDate }): Promise<Found> => {
      const { Tags } = await scheduler.listTagsForResource({ ResourceArn: Arn });
      return {
        ...{ id: name, tags: tagsOf(Tags), rate: free },
        ...sinceOf(CreationDate),
        steps: [
          {
            cli: `scheduler delete-schedule-group --name ${name}`,
            action: "scheduler:DeleteScheduleGroup",
            run: () => scheduler.deleteScheduleGroup({ Name: name }),
          },
        ],
      };
    });
  },
};
