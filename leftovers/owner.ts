import type { Cluster } from "@aws-sdk/client-eks";
import { stackTag } from "../components/core/stack-tags";
import type { Found, Search } from "./found";
import { clusterOfTags } from "./kinds/ec2-search";

export type FoundObject = Found & { readonly kind: string };

/** Without these, every cluster in their VPC fails. */
const networkKinds = ["VPC", "subnet", "route table", "internet gateway", "NAT gateway", "VPC endpoint"];

/**
 * Says to which cluster objects belong, because several labs can have the tag of one stack: by a tag or the kind of the object,
 * by its Name, which begins with that of its cluster, or by its VPC. A network belongs to the cluster in it that another one
 * created.
 *
 * @param all what was found
 * @param existing the clusters of the region
 * @returns undefined for an object about which nothing says so
 */
export function ownersOf(
  all: readonly FoundObject[],
  search: Search,
  existing: readonly Cluster[],
): (one: FoundObject) => string | undefined {
  const names = namesIn(all, search, existing);
  const byId = new Map(all.map((one) => [one.pulumiId ?? one.id, one]));
  const clustersIn = (vpc: string | undefined) =>
    existing.flatMap(({ name, resourcesVpcConfig: at }) =>
      vpc !== undefined && at?.vpcId === vpc ? (name ?? []) : [],
    );
  const ownerOf = (one: FoundObject): string | undefined => {
    const inVpc = clustersIn(one.vpc);
    const other = inVpc.find((name) => !search.clusters.includes(name));
    if (other !== undefined && networkKinds.includes(one.kind)) return other;
    return one.cluster ?? clusterOfTags(one.tags) ?? ownerAround(one) ?? inVpc[0];
  };
  const ownerAround = (one: FoundObject): string | undefined => {
    const [outer, network] = [byId.get(one.within ?? ""), byId.get(one.vpc ?? "")];
    const ofOuter = outer && ownerOf(outer);
    return ofOuter ?? longestOf(names, nameOf(one)) ?? (network && network !== one ? ownerOf(network) : undefined);
  };
  return ownerOf;
}

/** The Name of an object; that of a queue is the end of its URL. */
export function nameOf({ id, tags }: FoundObject): string {
  return tags["Name"] ?? id.split("/").at(-1) ?? id;
}

/** The name of a lab can begin with that of another, e.g. `lab` and `lab-2`. */
function longestOf(clusters: readonly string[], name: string): string | undefined {
  const own = clusters.filter((one) => name === one || name.startsWith(`${one}-`));
  return own.sort((a, b) => b.length - a.length)[0];
}

/** What follows the name of the cluster in the Name of a part that each lab has. */
const part = /^(.+)-(?:VPC|IGW|NAT|lease|cluster|node)$/;

/** The clusters of which objects with the tag of the stack are, also those that are gone. */
function namesIn(all: readonly FoundObject[], { stack, clusters }: Search, existing: readonly Cluster[]): string[] {
  const isTagged = (tags: Readonly<Record<string, string>> = {}) => stack !== undefined && tags[stackTag] === stack;
  const named = all.filter(({ tags }) => isTagged(tags)).flatMap((one) => nameInParts(one) ?? []);
  return [
    ...new Set([...clusters, ...existing.flatMap(({ name, tags }) => (isTagged(tags) ? (name ?? []) : [])), ...named]),
  ];
}

function nameInParts({ kind, cluster, tags }: FoundObject): string | undefined {
  const name = tags["Name"] ?? "";
  return cluster ?? clusterOfTags(tags) ?? (kind === "KMS key" && name !== "" ? name : part.exec(name)?.[1]);
}
