import { getLogGroup, type GetLogGroupResult } from "@pulumi/aws/cloudwatch/getLogGroup";
import { getLogGroups } from "@pulumi/aws/cloudwatch/getLogGroups";
import { getCluster } from "@pulumi/aws/eks/getCluster";
import { getAlias } from "@pulumi/aws/kms/getAlias";
import { optionalProperty } from "../core/reader/records";
import { attempt } from "./attempt";
import type { FixedKind, ReadNamesake } from "./namesakes";

/** Reads with functions of the provider what has a name. Without a permission, nothing is found, with a warning. */
export function namesakeReaders(clusterNames: readonly string[]): Readonly<Record<FixedKind, ReadNamesake>> {
  return {
    cluster: async (name) => {
      if (!clusterNames.includes(name)) return undefined;
      // That it exists is known.
      const found = await attempt(`the owner of the cluster ${name}`, () => getCluster({ name }));
      return found ? { ...optionalProperty("created", found.createdAt), tags: found.tags } : {};
    },
    "log group": (name) =>
      attempt("the log groups", async () => {
        const { logGroupNames } = await getLogGroups({ logGroupNamePrefix: name });
        if (!logGroupNames.includes(name)) return undefined;
        const { creationTime, tags = {} } = (await getLogGroup({ name })) as Partial<GetLogGroupResult>;
        return { ...optionalProperty("created", isoDate(creationTime)), tags };
      }),
    "key alias": (name) => attempt("the key aliases", () => existingAlias(name)),
  };
}

/** An answer of a test or of another provider can lack the time. */
function isoDate(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

/** The provider names a missing alias in the text of the error only. */
async function existingAlias(name: string): Promise<object | undefined> {
  try {
    await getAlias({ name });
    return {};
  } catch (error) {
    if (/couldn't find resource|empty result|NotFound/.test((error as Error).message)) return undefined;
    throw error;
  }
}
