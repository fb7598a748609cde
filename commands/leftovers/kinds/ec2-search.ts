import type { Filter, Tag } from "@aws-sdk/client-ec2";
import { instanceClusterTag } from "../../../components/core/instance-tags";
import { idTag, stackTag } from "../../../components/core/stack-tags";
import { ec2Items, type Aws, type Ec2Item } from "../../../aws/clients";
import { tagsOf, type Search } from "../found";
import { kindOf, type Kind, type Row } from "./kind";

type Tags = readonly (readonly [key: string, value: string])[];

/** The tags with which EKS and controllers mark what belongs to a cluster, and their values. */
export function clusterTags(cluster: string): Tags {
  return [[`${ownedTag}${cluster}`, "owned"], ...nameTags.map((key) => [key, cluster] as const)];
}

const ownedTag = "kubernetes.io/cluster/";
const nameTags = [
  "aws:eks:cluster-name",
  "eks:cluster-name",
  "elbv2.k8s.aws/cluster",
  "cluster.k8s.amazonaws.com/name",
  instanceClusterTag,
  "karpenter.k8s.aws/cluster",
] as const;

/** The cluster that {@link clusterTags} name. */
export function clusterOfTags(tags: Readonly<Record<string, string>>): string | undefined {
  const owned = Object.entries(tags).find(([key, value]) => key.startsWith(ownedTag) && value === "owned");
  return owned?.[0].slice(ownedTag.length) ?? nameTags.map((key) => tags[key]).find((name) => name !== undefined);
}

/** Whether a tag says to what an object belongs. */
export function hasOwner(tags: Readonly<Record<string, string>>): boolean {
  return (tags[idTag] ?? tags[stackTag] ?? clusterOfTags(tags)) !== undefined;
}

/** Tags of which an object has one, if it is searched. */
function searchedTags({ ids, stack, clusters }: Search): Tags {
  const own = [...ids.map((id) => [idTag, id] as const), ...(stack === undefined ? [] : [[stackTag, stack] as const])];
  return [...own, ...clusters.flatMap(clusterTags)];
}

/** Whether an object has one of {@link searchedTags}. */
export function hasSearchedTag(search: Search, tags: Readonly<Record<string, string>>): boolean {
  return searchedTags(search).some(([key, value]) => tags[key] === value);
}

interface Also {
  /** The filter by VPC, which finds the content of the VPCs that are searched. */
  readonly inVpc?: "vpc-id" | "attachment.vpc-id" | "resource-id";
  /** The part in the Name that an environment gives, e.g. `VPC` of `myeks-VPC`. */
  readonly named?: string;
}

interface Tagged {
  readonly Tags?: readonly Tag[];
  readonly TagSet?: readonly Tag[];
}

/**
 * What has one of the tags, or matches another filter. One request asks for the keys of all tags, and the values are compared
 * here: a request for each tag would be eight for each kind.
 */
export async function searchEc2<List extends string>(
  aws: Aws,
  search: Search,
  list: List,
  { inVpc, named }: Also = {},
) {
  const { vpcs, clusters } = search;
  const keys = searchedTags(search).map(([key]) => key);
  const others = [
    { Name: inVpc, Values: inVpc === undefined ? [] : [...vpcs] },
    { Name: "tag:Name", Values: named === undefined ? [] : clusters.map((name) => `${name}-${named}`) },
  ];
  const [tagged, found] = await Promise.all([
    readEc2(aws, [{ Name: "tag-key", Values: keys }], list),
    readEc2(aws, others, list),
  ]);
  const isTagged = ({ Tags, TagSet = Tags }: Tagged) => hasSearchedTag(search, tagsOf(TagSet));
  return [...tagged.filter((one) => isTagged(one as Tagged)), ...found];
}

/** A kind that EC2 lists under this name. */
export function ec2Kind<List extends string>({
  list,
  inVpc,
  named,
  reads = [],
  ...row
}: Omit<Row<Ec2Item<List>>, "list" | "reads"> &
  Also & { readonly list: List; readonly reads?: readonly string[] }): Kind {
  return kindOf({
    ...row,
    reads: [`ec2:Describe${list}`, ...reads],
    list: (aws, search) => searchEc2(aws, search, list, { ...(inVpc && { inVpc }), named }),
  });
}

/** The requests with another name for their filters. */
const inFilter: readonly string[] = ["FlowLogs", "NatGateways"];

/** What matches any of the filters: EC2 combines those of one request with `and`. One without values matches nothing. */
export async function readEc2<List extends string>(aws: Aws, filters: readonly Filter[], list: List) {
  const key = inFilter.includes(list) ? "Filter" : "Filters";
  const read = (filter: Filter) => ec2Items(aws, list, { [key]: [filter] });
  return (await Promise.all(filters.filter(({ Values = [] }) => Values.length > 0).map(read))).flat();
}
