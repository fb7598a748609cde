import type { Cluster } from "@aws-sdk/client-eks";
import { idTag } from "../../components/core/stack-tags";
import type { Aws } from "../../aws/clients";
import { free, unreadOf, type FoundObject, type Search, type Unread } from "./found";
import { readClusters, usesOfCluster } from "./kinds/cluster";
import { clusterOfTags } from "./kinds/ec2-search";
import { plural, type Kind } from "./kinds/kind";
import { kinds } from "./kinds/kinds";
import { vpcs } from "./kinds/network";
import type { Target } from "./leftover";

export interface AccountReading {
  readonly search: Search;
  /** The clusters of the region; undefined if they could not be read. */
  readonly existing: readonly Cluster[] | undefined;
  readonly found: readonly FoundObject[];
  readonly unread: readonly Unread[];
  readonly notes: readonly string[];
}

/** Reads the VPCs first: the content of those of the environment is searched, too. */
export async function readAccount(aws: Aws, { region, ids, stack, clusters, state }: Target): Promise<AccountReading> {
  const notes: string[] = [];
  const existingClusters = () => readClusters(aws);
  // The kinds that need the clusters report why they cannot be read.
  const existing = await aws.send("eks:ListClusters", existingClusters).catch(() => undefined);
  const own = (existing ?? []).flatMap(({ name, tags }) => (ids.includes(tags?.[idTag] ?? "") ? (name ?? []) : []));
  const empty: Search = {
    ...{ region, ids, vpcs: [], clusters: [...new Set([...clusters, ...own])], existing: existingClusters },
    ...{ note: (text) => void notes.push(text), stack },
  };
  const first = await readKinds(aws, [vpcs], empty);
  const isOwnVpc = ({ id, tags }: FoundObject) =>
    ids.includes(tags[idTag] ?? "") || state?.ids.has(id) === true || (ids.length === 0 && tags[idTag] === undefined);
  const search = { ...empty, vpcs: [...new Set(first.found.filter(isOwnVpc).map(({ id }) => id))] };
  const others = kinds.filter((one) => one !== vpcs);
  const inAll = await readKinds(aws, others, search);
  const isOwn = ({ tags }: FoundObject) => ids.includes(tags[idTag] ?? "");
  // What the environment has in another VPC can be in use there.
  const further = inAll.found.flatMap((one) =>
    isOwn(one) && !search.vpcs.includes(one.vpc ?? "") ? (one.vpc ?? []) : [],
  );
  const isInVpc = ({ isInNetwork }: Kind) => further.length > 0 && isInNetwork === true;
  const beyond = await readKinds(aws, others.filter(isInVpc), { ...search, vpcs: [...new Set(further)] });
  const every = [...first.found, ...inAll.found, ...beyond.found];
  const found = [...new Map(every.map((one) => [`${one.kind} ${one.pulumiId ?? one.id}`, one])).values()];
  const read = new Set(found.flatMap(({ kind, id }) => (kind === "cluster" ? [id] : [])));
  const ofOthers = (existing ?? []).filter(({ name = "" }) => !read.has(name)).map(otherCluster);
  const failed = [...first.unread, ...inAll.unread, ...beyond.unread];
  const unread = [...new Map(failed.map((one) => [one.what, one])).values()];
  // What the environment created names its cluster, although that may be gone.
  const named = found.filter(isOwn).flatMap(({ tags, cluster }) => cluster ?? clusterOfTags(tags) ?? []);
  const complete = { ...search, clusters: [...new Set([...search.clusters, ...named])] };
  return { search: complete, existing, notes, unread, found: withInterfaces([...found, ...ofOthers]) };
}

/** Gateways and endpoints say which network interfaces are theirs. */
function withInterfaces(found: readonly FoundObject[]): FoundObject[] {
  const owners = new Map(found.flatMap(({ id, interfaces = [] }) => interfaces.map((one) => [one, id] as const)));
  return found.map((one) => {
    const within = owners.get(one.id);
    return within === undefined ? one : { ...one, within, isHidden: true };
  });
}

/** A cluster of somebody else, which can use objects of the environment. */
function otherCluster(cluster: Cluster): FoundObject {
  const { name = "", tags = {} } = cluster;
  return { kind: "cluster", id: name, tags, rate: free, steps: [], ...usesOfCluster(cluster) };
}

/** Kinds at the same time: more would be throttled. */
const kindsAtOnce = 4;

async function readKinds(
  aws: Aws,
  all: readonly Kind[],
  search: Search,
): Promise<{ readonly found: FoundObject[]; readonly unread: Unread[] }> {
  const found = new Map<Kind, FoundObject[]>();
  const unread: Unread[] = [];
  const waiting = [...all];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { kind, reads, read } = next;
      try {
        const objects = await aws.send(reads.join(", "), () => read(aws, search));
        found.set(
          next,
          objects.map((one) => ({ ...one, kind })),
        );
      } catch (error) {
        unread.push(unreadOf(plural(kind), error, next.isGlobal));
      }
    }
  };
  await Promise.all(Array.from({ length: kindsAtOnce }, work));
  return { found: all.flatMap((kind) => found.get(kind) ?? []), unread };
}
