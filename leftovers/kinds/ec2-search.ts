import type { EC2, Filter } from "@aws-sdk/client-ec2";
import { idTag, stackTag } from "../../components/core/stack-tags";
import type { Aws } from "../../aws/clients";
import type { Search } from "../found";
import { itemsOf, type Answer, type Page } from "../requests";

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
] as const;

/** The cluster that {@link clusterTags} name. */
export function clusterOfTags(tags: Readonly<Record<string, string>>): string | undefined {
  const owned = Object.entries(tags).find(([key, value]) => key.startsWith(ownedTag) && value === "owned");
  return owned?.[0].slice(ownedTag.length) ?? nameTags.map((key) => tags[key]).find((name) => name !== undefined);
}

/** Tags of which an object has one, if it is searched. */
export function searchedTags({ ids, stack, clusters }: Search): Tags {
  const own = [...ids.map((id) => [idTag, id] as const), ...(stack === undefined ? [] : [[stackTag, stack] as const])];
  return [...own, ...clusters.flatMap(clusterTags)];
}

/** Alternative filters: EC2 combines the filters of one request with `and`. */
export function tagFilters(search: Search): Filter[] {
  return searchedTags(search).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
}

/** In addition to {@link tagFilters}, the content of the VPCs. */
export function vpcFilters(search: Search, name = "vpc-id"): Filter[] {
  const { vpcs } = search;
  return [...tagFilters(search), ...(vpcs.length === 0 ? [] : [{ Name: name, Values: [...vpcs] }])];
}

/** The Name that an environment gives a part, e.g. `myeks-VPC`. */
export function nameFilter({ clusters }: Search, part: string): Filter[] {
  return clusters.length === 0 ? [] : [{ Name: "tag:Name", Values: clusters.map((name) => `${name}-${part}`) }];
}

/** What matches any of the filters. */
export async function searchEc2<List extends string, Given extends Answer<List>>(
  aws: Aws,
  filters: readonly Filter[],
  list: List,
  request: (ec2: EC2, at: Page & { readonly Filters: Filter[] }) => Promise<Given>,
) {
  const search = (filter: Filter) =>
    itemsOf(aws.ec2, list, (ec2, page) => request(ec2, { Filters: [filter], ...page }));
  return (await Promise.all(filters.map(search))).flat();
}
