import type { KMS } from "@aws-sdk/client-kms";
import type { LogGroup } from "@aws-sdk/client-cloudwatch-logs";
import { codeOf } from "../../../aws/aws-error";
import { itemsOf, request, type Aws } from "../../../aws/clients";
import { free, tagsOf, monthly, unpriced, type Found } from "../found";
import { inTurn, step } from "../requests";
import { kindOf } from "./kind";

/** The prefixes of the log groups of clusters: control plane, flow logs, Container Insights. The cluster follows. */
const logPrefixes = ["/aws/eks/", "/aws/vpc/", "/aws/containerinsights/"];

function clusterOfLogs({ logGroupName: name = "" }: LogGroup): string | undefined {
  const prefix = logPrefixes.find((one) => name.startsWith(one)) ?? "";
  return name.slice(prefix.length).split("/")[0];
}

/** Log groups. EKS and the agents write them without tags, so the name decides, too. */
export const logGroups = kindOf({
  kind: "log group",
  type: "aws:cloudwatch/logGroup:LogGroup",
  reads: ["logs:DescribeLogGroups", "logs:ListTagsForResource"],
  list: async (aws) => {
    const lists = await inTurn(logPrefixes, (logGroupNamePrefix) =>
      itemsOf(aws, "logs:DescribeLogGroups", "logGroups", { logGroupNamePrefix }),
    );
    return lists.flat();
  },
  nameOf: clusterOfLogs,
  found: logGroup,
});

async function logGroup(one: LogGroup, aws: Aws): Promise<Found> {
  const { logGroupName: name = "", arn = "", creationTime, storedBytes = 0 } = one;
  const { tags = {} } = await request(aws, "logs:ListTagsForResource", { resourceArn: arn.replace(/:\*$/, "") });
  return {
    ...{ id: name, detail: `${(storedBytes / 2 ** 30).toFixed(2)} GiB`, tags, cluster: clusterOfLogs(one) },
    since: creationTime === undefined ? undefined : new Date(creationTime).toISOString(),
    rate: storedBytes === 0 ? free : unpriced("the price table does not list log storage"),
    steps: [step(aws, "logs:DeleteLogGroup", { logGroupName: name })],
  };
}

/** The cluster follows. */
const aliasPrefix = "alias/eks/";

/** Days until AWS deletes a key: the least that KMS accepts. */
const pendingDays = 7;

/** The keys of the account itself, each with its aliases. */
export const keys = kindOf({
  kind: "KMS key",
  type: "aws:kms/key:Key",
  reads: ["kms:ListKeys", "kms:ListAliases", "kms:DescribeKey", "kms:ListResourceTags"],
  list: async (aws) => {
    const aliases = await listAliases(aws);
    const all = await itemsOf(aws, "kms:ListKeys", "Keys", {});
    const found = all.map(({ KeyId: id = "" }) => {
      const own = aliases.filter(({ TargetKeyId }) => TargetKeyId === id);
      return { id, aliases: own.map(({ AliasName = "" }) => AliasName) };
    });
    return found.filter((one) => !one.aliases.some((name) => name.startsWith("alias/aws/")));
  },
  found: ({ id, aliases }, aws, { clusters }) => key(aws, id, aliases, clusters),
});

export function listAliases(aws: Aws) {
  return itemsOf(aws, "kms:ListAliases", "Aliases", {});
}

/** A key; undefined if its policy does not let the caller read it, because then it belongs to somebody else. */
async function key(aws: Aws, id: string, aliases: readonly string[], clusters: readonly string[]) {
  const read = await readKey(await aws.kms(), id);
  if (!read || read.manager !== "CUSTOMER") return undefined;
  const { tags, since, deletion } = read;
  const isEnding = deletion !== undefined;
  const ends = { KeyId: id, PendingWindowInDays: pendingDays };
  const remove = [
    ...aliases.map((AliasName) => step(aws, "kms:DeleteAlias", { AliasName })),
    step(aws, "kms:ScheduleKeyDeletion", ends),
  ];
  // The program names its key as the cluster, which may be gone. Somebody else gave the key any other alias.
  const own = [...clusters, tags["Name"]].map((name) => `${aliasPrefix}${name}`);
  const strange = aliases.filter((name) => !own.includes(name));
  return {
    ...{ id, tags, detail: isEnding ? `AWS deletes it on ${deletion}` : aliases.join(", "), since, isEnding },
    cluster: aliases.find((name) => name.startsWith(aliasPrefix))?.slice(aliasPrefix.length),
    usedBy: strange.map((name) => `alias ${name}`),
    rate: isEnding ? { perDay: 0, note: "free while its deletion is pending" } : monthly(aws.region, "kms-key"),
    steps: isEnding ? [] : remove,
  };
}

async function readKey(kms: KMS, KeyId: string) {
  try {
    const [{ KeyMetadata: key }, { Tags = [] }] = await Promise.all([
      kms.describeKey({ KeyId }),
      kms.listResourceTags({ KeyId }),
    ]);
    const tags = tagsOf(Tags.map(({ TagKey, TagValue }) => ({ Key: TagKey, Value: TagValue })));
    const day = key?.DeletionDate?.toISOString().slice(0, 10) ?? "a later day";
    const deletion = key?.KeyState === "PendingDeletion" ? day : undefined;
    return { tags, manager: key?.KeyManager, since: key?.CreationDate?.toISOString(), deletion };
  } catch (error) {
    if (codeOf(error) === "AccessDeniedException") return undefined;
    throw error;
  }
}
