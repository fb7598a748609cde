import type { Cluster } from "@aws-sdk/client-eks";
import { instanceClusterTag, nodePoolTags } from "../../components/core/instance-tags";
import { idTag, nameTag, stackTag } from "../../components/core/stack-tags";
import { isRunning, type FoundObject, type Search } from "./found";
import { clusterOfTags, clusterTags } from "./kinds/ec2-search";
import { kinds } from "./kinds/kinds";
import { namesOf, type Evidence } from "./ownership";
import type { StackState, StateResource } from "../stack/state";

/** What the evidence is compared with. */
interface Known {
  readonly search: Search;
  /** The account of the credentials. */
  readonly account: string;
  readonly state: StackState | undefined;
  /** The clusters of the region, as far as they could be read. */
  readonly existing: readonly Cluster[];
  readonly all: readonly FoundObject[];
}

/** What says to whom the objects of an account belong. */
export class Ownership {
  readonly #byName: ReadonlyMap<string, FoundObject>;
  readonly #rules: readonly (readonly [Evidence | undefined, (one: FoundObject) => boolean])[];

  constructor(private readonly known: Known) {
    const { search } = known;
    this.#byName = new Map(known.all.flatMap((one) => namesOf(one).map((name) => [name, one] as const)));
    const hasId = ({ tags }: FoundObject) => tags[idTag] !== undefined;
    const hasOwnId = ({ tags }: FoundObject) => search.ids.includes(tags[idTag] ?? "");
    // The first rule that matches decides; without a rule, or with one without evidence, the object belongs to somebody else.
    this.#rules = [
      ["other", (one) => hasId(one) && search.ids.length === 0 && this.#isAsked(one)],
      [undefined, (one) => hasId(one) && !hasOwnId(one)],
      ["copy", (one) => hasId(one) && (this.#isStranger(one) || this.#isCopy(one))],
      ["id", hasId],
      ["part", (one) => this.#isOwn(this.outerOf(one))],
      ["copy", (one) => this.#evidenceOfOuter(one) === "copy"],
      [undefined, (one) => this.#isOfOther(one)],
      ["aws", (one) => this.#isOfAws(one)],
      ["former", ({ tags }) => search.stack !== undefined && tags[stackTag] === search.stack],
      [undefined, ({ tags }) => search.stack !== undefined && tags[stackTag] !== undefined],
      ["named", (one) => this.#isNamed(one)],
      ["place", ({ vpc = "" }) => search.vpcs.includes(vpc)],
    ];
  }

  /** Undefined for what belongs to somebody else. */
  of(one: FoundObject): Evidence | undefined {
    return this.#rules.find(([, matches]) => matches(one))?.[0];
  }

  /** The object whose removal removes this one. */
  outerOf({ within = "" }: FoundObject): FoundObject | undefined {
    return this.#byName.get(within);
  }

  /** Whether the state has it. */
  isKnown({ id, pulumiId = id }: FoundObject): boolean {
    const { state } = this.known;
    return state !== undefined && (state.ids.has(pulumiId) || state.ids.has(id));
  }

  /** The object that the state has in the place of this one. */
  secondOf(one: FoundObject): string | undefined {
    return this.known.state?.resources.find((other) => isOf(other, one))?.id;
  }

  #evidenceOfOuter(one: FoundObject): Evidence | undefined {
    const outer = this.outerOf(one);
    return outer && this.of(outer);
  }

  #isOwn(one: FoundObject | undefined): boolean {
    return one !== undefined && (this.isKnown(one) || ["id", "aws", "part"].includes(this.of(one) ?? ""));
  }

  /** Whether the user asked for the stack or the cluster to which it seems to belong. */
  #isAsked(one: FoundObject): boolean {
    const { stack } = this.known.search;
    return stack === undefined ? this.#isNamed(one) : one.tags[stackTag] === stack;
  }

  /** What the description of the own cluster names, or what AWS has tagged with it in the own VPC. */
  #isOfAws(one: FoundObject): boolean {
    if (one.isOfCluster === true) return this.#isOwn(this.#byName.get(`cluster ${one.cluster}`));
    const isTagged = this.known.search.clusters.includes(one.tags["aws:eks:cluster-name"] ?? "");
    // An instance that is in no group was started by somebody, and joined the cluster.
    const isMade = one.kind !== "instance" || one.within !== undefined;
    return isTagged && isMade && !this.outerOf(one) && this.#isOwnVpc(one.vpc);
  }

  #isOwnVpc(vpc = ""): boolean {
    const { search, state } = this.known;
    const found = this.#byName.get(vpc);
    const isTagged = found?.tags[idTag] !== undefined && this.of(found) === "id";
    return search.ids.length > 0 && (state?.ids.has(vpc) === true || isTagged);
  }

  /** Whether it is an instance that Karpenter did not start: launch templates of node groups give no id. */
  #isStranger(one: FoundObject): boolean {
    return one.kind === "instance" && !isOfNodeClaim(one) && !this.#isBeforeNode(one);
  }

  /**
   * Karpenter names the NodeClaim once the node is known. Until then the instance must be in the own VPC and of the cluster,
   * and its pool must have its own node class, as a GpuNodePool makes it.
   */
  #isBeforeNode({ tags, vpc, within }: FoundObject): boolean {
    const pool = tags[nodePoolTags.karpenter];
    const isOfPool = pool !== undefined && pool === tags["karpenter.k8s.aws/ec2nodeclass"];
    const cluster = tags[instanceClusterTag] ?? "";
    const isOfCluster = this.known.search.clusters.includes(cluster) && clusterOfTags(tags) === cluster;
    return isOfPool && isOfCluster && tags[fleetTag] !== undefined && within === undefined && this.#isOwnVpc(vpc);
  }

  /** Whether it has the id, but cannot be what the environment created, or may not be. */
  #isCopy(one: FoundObject): boolean {
    const { search, account, state, all } = this.known;
    const { tags, kind, since = "" } = one;
    const made = state?.environments.get(tags[idTag] ?? "");
    const isBefore = Date.parse(since) < Date.parse(made ?? "") - clockSkewMs;
    if (isBefore || isMadeByOthers(one, `${search.region}/${account}/`)) return true;
    if (all.some((other) => isNamesake(one, other) && !this.isKnown(other))) return true;
    // What a controller creates has no logical name.
    if (tags[nameTag] === undefined) return !Object.keys(tags).some((key) => controllerTag.test(key));
    const isPending = state?.pending.some((other) => isOf(other, one)) === true;
    return typeOf(kind) === undefined || (!isPending && this.secondOf(one) !== undefined);
  }

  /** Whether it belongs to a cluster that runs and has the id of another environment. */
  #isOfOther({ tags, cluster }: FoundObject): boolean {
    const owner = tags["aws:eks:cluster-name"] ?? clusterOfTags(tags) ?? cluster;
    const { existing, search } = this.known;
    const id = existing.find(({ name, status }) => name === owner && isRunning(status))?.tags?.[idTag];
    return id !== undefined && !search.ids.includes(id);
  }

  #isNamed(one: FoundObject): boolean {
    const { search } = this.known;
    const isTagged = search.clusters.some((name) => clusterTags(name).some(([key, value]) => one.tags[key] === value));
    return isTagged || search.clusters.includes(one.cluster ?? "") || isNamedPart(one, search);
  }
}

function typeOf(kind: string): string | undefined {
  return kinds.find((each) => each.kind === kind)?.type;
}

/** Of Karpenter and EKS Auto Mode; no other instance in a fleet has a NodeClaim, and only AWS tags what a fleet starts. */
function isOfNodeClaim({ tags }: FoundObject): boolean {
  return tags[nodeClaimTag] !== undefined && tags[fleetTag] !== undefined;
}

/** AWS Backup tags what it restores. */
function isMadeByOthers(one: FoundObject, place: string): boolean {
  const { tags, isRestored } = one;
  const isOfBackup = Object.keys(tags).some((key) => key.startsWith("aws:backup:"));
  return isRestored === true || isOfBackup || tags[idTag]?.startsWith(place) !== true;
}

const nodeClaimTag = "karpenter.sh/nodeclaim";
const fleetTag = "aws:ec2:fleet-id";

/** Tags by which the program or a controller knows an object of a kind again. */
const uniqueTags: readonly (readonly [string, ...string[]])[] = [
  ...([[nameTag], ["CSIVolumeName"], ["kubernetes.io/created-for/pv/name"], ["kubernetes.io/service-name"]] as const),
  [nodeClaimTag],
  ["service.k8s.aws/stack", "service.k8s.aws/resource"],
  ["ingress.k8s.aws/stack", "ingress.k8s.aws/resource"],
];

function isNamesake(one: FoundObject, other: FoundObject): boolean {
  const isSame = (key: string) => one.tags[key] === other.tags[key];
  const isNamed = uniqueTags.some((keys) => one.tags[keys[0]] !== undefined && keys.every(isSame));
  return one !== other && one.kind === other.kind && isSame(idTag) && isNamed;
}

/** Clocks of AWS and of the machine that ran the update differ. */
const clockSkewMs = 5 * 60_000;

const controllerTag =
  /^(?:kubernetes\.io|elbv2\.k8s\.aws|ebs\.csi\.aws\.com|cluster\.k8s\.amazonaws\.com|ingress\.k8s\.aws|service\.k8s\.aws|karpenter\.k8s\.aws)\//;

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
  if (logicalName === undefined || typeOf(kind) !== type) return false;
  // The component eks.Cluster gives its tags to the resources in it, whose names begin with its own.
  return name === logicalName || (urn.includes("eks:index:Cluster$") && name.startsWith(`${logicalName}-`));
}
