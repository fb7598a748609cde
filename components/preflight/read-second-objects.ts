import { getElasticIp } from "@pulumi/aws/ec2/getElasticIp";
import { getLaunchTemplate } from "@pulumi/aws/ec2/getLaunchTemplate";
import { getResources } from "@pulumi/aws/resourcegroupstaggingapi/getResources";
import { nameTag, stackTag } from "../core/stack-tags";
import type { SecondObjects } from "./preflight-leftovers";

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
export async function readSecondObjects(stack: string, clusterName: string): Promise<SecondObjects[]> {
  const { resourceTagMappingLists: all = [] } = (await getResources({
    tagFilters: [{ key: stackTag, values: [stack] }],
    resourceTypeFilters: kinds.map(({ type }) => `ec2:${type}`),
  })) as Partial<Awaited<ReturnType<typeof getResources>>>;
  const own = all.filter(({ tags }) => tags["Name"]?.startsWith(`${clusterName}-`) === true);
  const objects = own.map(({ resourceArn, tags }) => ({
    ...partsOf(resourceArn),
    ...{ name: tags[nameTag] ?? "", tag: tags["Name"] ?? "" },
  }));
  const groups = kinds.flatMap(({ type, ...kind }) => {
    const ofType = objects.filter((one) => one.type === type);
    const same = [...new Map(ofType.map((one) => [`${one.name} ${one.tag}`, one])).values()];
    return same.map(({ name, tag }) => ({
      ...{ ...kind, name },
      ids: ofType.flatMap((one) => (one.name === name && one.tag === tag ? [one.id] : [])),
    }));
  });
  const several = groups.filter(({ name, ids }) => name !== "" && ids.length > 1);
  const existing = await Promise.all(
    several.map(async ({ kind, name, ids, read }) => ({ kind, name, ids: await existingOf(ids, read) })),
  );
  return existing.filter(({ ids }) => ids.length > 1);
}

/** Type and id in `arn:aws:ec2:REGION:ACCOUNT:elastic-ip/eipalloc-1`. */
function partsOf(arn: string): { readonly type: string; readonly id: string } {
  const [type = "", id = ""] = arn.split(":").slice(5).join(":").split("/");
  return { type, id };
}

async function existingOf(ids: readonly string[], read: Kind["read"]): Promise<string[]> {
  const found = await Promise.all(ids.map(async (id) => ((await exists(id, read)) ? [id] : [])));
  return found.flat().sort();
}

/** The provider names a missing object in the text of the error only. */
async function exists(id: string, read: Kind["read"]): Promise<boolean> {
  try {
    await read(id);
    return true;
  } catch (error) {
    if (/couldn't find resource|no matching|NotFound/.test((error as Error).message)) return false;
    throw error;
  }
}
