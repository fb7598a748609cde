import { idTag, nameTag, stackTag } from "../components/core/stack-tags";
import type { FoundObject, Search } from "./found";
import { clusterTags } from "./kinds/ec2-search";
import { kinds } from "./kinds/kinds";
import { namesOf, type Evidence } from "./ownership";
import type { StackState, StateResource } from "./state";

/** What the evidence is compared with. */
export interface Known {
  readonly search: Search;
  /** The account of the credentials. */
  readonly account: string;
  readonly state: StackState | undefined;
  readonly all: readonly FoundObject[];
}

/** What says to whom each object belongs; undefined for what is of somebody else. */
export function evidenceIn({ search, account, state, all }: Known) {
  const byName = new Map(all.flatMap((one) => namesOf(one).map((name) => [name, one] as const)));
  const outerOf = ({ within = "" }: FoundObject) => byName.get(within);
  const isKnown = ({ id, pulumiId = id }: FoundObject) =>
    state !== undefined && (state.ids.has(pulumiId) || state.ids.has(id));
  /** The object that the state has in the place of this one. */
  const secondOf = (one: FoundObject) => state?.resources.find((other) => isOf(other, one))?.id;

  const isOwn = (one: FoundObject | undefined): boolean =>
    one !== undefined && (isKnown(one) || ["id", "aws", "part"].includes(evidenceOf(one) ?? ""));
  const isOwnVpc = ({ vpc = "" }: FoundObject) => {
    const found = byName.get(vpc);
    const isTagged = found?.tags[idTag] !== undefined && evidenceOf(found) === "id";
    return search.ids.length > 0 && (state?.ids.has(vpc) === true || isTagged);
  };
  /** An instance that is in no group was started by somebody, and joined the cluster. */
  const isOfAws = (one: FoundObject) =>
    search.clusters.includes(one.tags["aws:eks:cluster-name"] ?? "") &&
    (one.kind !== "instance" || one.within !== undefined) &&
    isOwnVpc(one);

  const isCopy = (one: FoundObject): boolean => {
    const { tags, kind, since = "" } = one;
    const { [idTag]: id = "", [nameTag]: logicalName } = tags;
    const type = kinds.find((each) => each.kind === kind)?.type;
    if (!id.startsWith(`${search.region}/${account}/`)) return true;
    if (Date.parse(since) < Date.parse(state?.environments.get(id) ?? "") - clockSkewMs) return true;
    // What a controller creates has no logical name.
    if (logicalName === undefined) return !Object.keys(tags).some((key) => controllerTag.test(key));
    const isSame = (other: FoundObject) =>
      other !== one &&
      other.kind === kind &&
      other.tags[nameTag] === logicalName &&
      other.tags[idTag] === id &&
      !isKnown(other);
    return type === undefined || (!isPending(one) && secondOf(one) !== undefined) || all.some(isSame);
  };
  const isPending = (one: FoundObject) => state?.pending.some((other) => isOf(other, one)) === true;

  const evidenceOf = (one: FoundObject): Evidence | undefined => {
    const { tags, vpc = "", cluster = "" } = one;
    const id = tags[idTag];
    if (id !== undefined && !search.ids.includes(id))
      return search.ids.length === 0 && tags[stackTag] === search.stack ? "other" : undefined;
    if (id !== undefined) return isCopy(one) ? "copy" : "id";
    const outer = outerOf(one);
    if (isOwn(outer)) return "part";
    if (outer && evidenceOf(outer) === "copy") return "copy";
    if (!outer && isOfAws(one)) return "aws";
    if (search.stack !== undefined && tags[stackTag] !== undefined)
      return tags[stackTag] === search.stack ? "former" : undefined;
    const isTagged = search.clusters.some((name) => clusterTags(name).some(([key, value]) => tags[key] === value));
    if (isTagged || search.clusters.includes(cluster) || isNamedPart(one, search)) return "named";
    return search.vpcs.includes(vpc) ? "place" : undefined;
  };
  return { evidenceOf, isKnown, outerOf, secondOf };
}

/** Clocks of AWS and of the machine that ran the update differ. */
const clockSkewMs = 5 * 60_000;

const controllerTag =
  /^(?:kubernetes\.io|elbv2\.k8s\.aws|ebs\.csi\.aws\.com|cluster\.k8s\.amazonaws\.com|ingress\.k8s\.aws|service\.k8s\.aws)\//;

/** The Name that an environment gives what it cannot tag otherwise: it shows where to look, and proves nothing. */
function isNamedPart({ kind, tags }: FoundObject, { clusters }: Search): boolean {
  const part = kind === "VPC" ? "VPC" : "NAT";
  return (
    ["VPC", "NAT gateway", "elastic address"].includes(kind) &&
    clusters.some((name) => tags["Name"] === `${name}-${part}`)
  );
}

/** Whether the resource creates an object with this logical name and kind. */
export function isOf({ type, name, urn }: StateResource, { kind, tags }: FoundObject): boolean {
  const logicalName = tags[nameTag];
  if (logicalName === undefined || kinds.find((each) => each.kind === kind)?.type !== type) return false;
  // The component eks.Cluster gives its tags to the resources in it, whose names begin with its own.
  return name === logicalName || (urn.includes("eks:index:Cluster$") && name.startsWith(`${logicalName}-`));
}
