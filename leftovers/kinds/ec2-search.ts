import type { EC2, Filter, UnsuccessfulItem } from "@aws-sdk/client-ec2";
import { idTag, stackTag } from "../../components/core/stack-tags";
import { allPages } from "../../sessions/clients";
import type { Aws } from "../aws";
import type { Search, Step } from "../found";

/** The tags with which EKS and controllers mark what belongs to a cluster, and their values. */
export function clusterTags(cluster: string): readonly (readonly [key: string, value: string])[] {
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

/** Alternative filters: EC2 combines the filters of one request with `and`. */
export function tagFilters({ ids, stack, clusters }: Search): Filter[] {
  const own = [...ids.map((id) => [idTag, id] as const), ...(stack === undefined ? [] : [[stackTag, stack] as const])];
  const tags = [...own, ...clusters.flatMap(clusterTags)];
  return tags.map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
}

/** The content of the VPCs. */
export function vpcFilters({ vpcs }: Search, name = "vpc-id"): Filter[] {
  return vpcs.length === 0 ? [] : [{ Name: name, Values: [...vpcs] }];
}

interface Page<T> {
  readonly items: readonly T[] | undefined;
  readonly next?: string | undefined;
}

/** What matches any of the filters. */
export async function searchEc2<T>(
  filters: readonly Filter[],
  page: (filters: Filter[], token: { readonly NextToken?: string }) => Promise<Page<T>>,
): Promise<T[]> {
  const lists = await Promise.all(
    filters.map((filter) => allPages((token) => page([filter], token === undefined ? {} : { NextToken: token }))),
  );
  return lists.flat();
}

type Call = (ec2: EC2) => Promise<unknown>;

/** A request to EC2 as a step. */
export function step(aws: Aws, cli: string, action: string, call: Call): Step {
  return { cli: `ec2 ${cli}`, action: `ec2:${action}`, run: async () => call(await aws.ec2()) };
}

/** Requests for several objects answer 200 and name those that AWS did not delete. */
export function failIfRejected({
  Unsuccessful: [first] = [],
}: {
  readonly Unsuccessful?: UnsuccessfulItem[] | undefined;
}): void {
  const { Code: name = "Rejected", Message: message = "" } = first?.Error ?? {};
  if (first) throw Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } });
}

/** The Name that an environment gives a part, e.g. `myeks-VPC`. */
export function nameFilter({ clusters }: Search, part: string): Filter[] {
  return clusters.length === 0 ? [] : [{ Name: "tag:Name", Values: clusters.map((name) => `${name}-${part}`) }];
}
