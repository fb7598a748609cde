import { getElasticIp } from "@pulumi/aws/ec2/getElasticIp";
import { getLaunchTemplate } from "@pulumi/aws/ec2/getLaunchTemplate";
import { getResources } from "@pulumi/aws/resourcegroupstaggingapi/getResources";
import { nameTag, stackTag } from "../core/stack-tags";
import { ifExists } from "./attempt";
import type { SecondObjects } from "./preflight-facts";

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
