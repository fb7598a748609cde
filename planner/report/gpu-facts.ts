import { ownValue } from "../../components/core/reader/records";
import { countOf } from "../../components/core/text";
import type { GpuGroupCost } from "../cost/cost";
import { leasesOf, type LeaseFacts, type LeaseTime } from "../facts/leases";
import { gpuPoolOf } from "../facts/gpu-pools";
import { gpuGroupsOf, gpuText, type NodeGroupFacts } from "../facts/node-groups";
import type { ResourceIndex } from "../facts/resource-index";
import type { Plan } from "../plan";
import { unknownTexts, usd } from "./cost-text";

/** One fact about a lease or a GPU node group. */
type Fact = readonly [name: string, value: string];

/** The facts about one GPU node group, or about one lease. */
interface FactGroup {
  readonly kind: "GPU nodes" | "Lease";
  readonly name: string;
  readonly facts: readonly Fact[];
}

/** The GPU node groups, then the leases that end their sessions. */
export function factGroupsOf({ cost }: Plan, index: ResourceIndex): FactGroup[] {
  const groups = gpuGroupsOf(index).map((group): FactGroup => {
    const price = cost.gpuGroups.find(({ name }) => name === group.logicalName);
    return { kind: "GPU nodes", name: group.name, facts: gpuFacts(group, price) };
  });
  // Of self-managed groups and instances, only the cost is known.
  const others = cost.gpuGroups
    .filter(({ name }) => gpuGroupsOf(index).every(({ logicalName }) => logicalName !== name))
    .map((price): FactGroup => {
      const pool = gpuPoolOf(index, price.name, price.maxSize);
      return { kind: "GPU nodes", name: price.name, facts: pool ? gpuFacts(pool, price) : pricedFacts(price) };
    });
  const leases = leasesOf(index).map((lease): FactGroup => {
    return { kind: "Lease", name: lease.name, facts: leaseRows(lease) };
  });
  return [...groups, ...others, ...leases];
}

function pricedFacts(price: GpuGroupCost): Fact[] {
  return [
    ["instance", price.instanceType || "type known after the update"],
    ["size", price.maxSize === undefined ? knownLater : `max ${price.maxSize}`],
    ["price", priceText(price)],
  ];
}

const knownLater = "known after the update";
const defaultSize = "default size of the AMI";

/** The facts that determine whether a session on a GPU group works, and its cost. */
export function gpuFacts(group: NodeGroupFacts, cost: GpuGroupCost | undefined): Fact[] {
  return [
    ["instance", instanceText(group)],
    ["zone", placeText(group)],
    ["size", sizeText(group)],
    ["quota", quotaText(group)],
    ["disk", diskText(group)],
    ["AMI", group.ami ?? amiText(group)],
    ["taints", group.taints.join(", ") || "none: pods without a GPU request can run on the nodes"],
    ["owner", ownValue(owners, group.owner) ?? group.owner],
    ["price", priceText(cost)],
  ];
}

function instanceText(group: NodeGroupFacts): string {
  const type = group.instanceTypes.join(" or ") || "type known after the update,";
  const capacity =
    group.capacityType === "ON_DEMAND" ? "on demand" : group.capacityType.toLowerCase().replace("_", " ");
  const memory = group.gpu?.memoryGiB === undefined ? "" : ` (${group.gpu.memoryGiB} GiB each)`;
  const vcpus = group.vcpusPerNode === undefined ? "" : `, ${group.vcpusPerNode} vCPU`;
  return `${type} ${capacity}: ${gpuText(group.gpu ?? {})}${memory}${vcpus}`;
}

function placeText(group: NodeGroupFacts): string {
  const zones = group.zones.join(", ") || knownLater;
  const names = group.subnets.map((subnet) => subnet.name).join(", ");
  if (names === "") return zones;
  const count = group.picksSubnet ? "one of the subnets" : group.subnets.length === 1 ? "subnet" : "subnets";
  return `${zones}: ${count} ${names}`;
}

function sizeText({ size, owner }: NodeGroupFacts): string {
  if (owner === "pods") return size.max === undefined ? knownLater : `0 without pods, max ${size.max}`;
  const known = (["desired", "min", "max"] as const).filter((key) => size[key] !== undefined);
  const rest = known.length === 3 ? [] : [known.length === 0 ? knownLater : `the others ${knownLater}`];
  return [...known.map((key) => `${key} ${size[key]}`), ...rest].join(", ");
}

function quotaText({ size, vcpusPerNode, quotaCode, capacityType, ...group }: NodeGroupFacts): string {
  if (group.owner === "pods" && group.instanceTypes.length > 1) return "depends on the types that start";
  if (capacityType === "CAPACITY_BLOCK") return "none: Capacity Blocks do not count";
  if (size.max === undefined || vcpusPerNode === undefined) return knownLater;
  const code = quotaCode === undefined ? "" : ` of ${quotaCode}`;
  return `${size.max * vcpusPerNode} vCPU${code} at maximum size (${size.max} x ${vcpusPerNode})`;
}

function diskText({ disk }: NodeGroupFacts): string {
  if (!disk) return defaultSize;
  const size = disk.sizeGiB === undefined ? defaultSize : `${disk.sizeGiB} GiB`;
  const encryption = disk.encrypted === undefined ? "" : disk.encrypted ? ", encrypted" : ", not encrypted";
  return `${size}${disk.type === undefined ? "" : ` ${disk.type}`}${encryption}`;
}

function amiText({ amiType, releaseVersion }: NodeGroupFacts): string {
  return `${amiType ?? "type not set"}, ${releaseVersion === undefined ? "release not pinned" : `release ${releaseVersion}`}`;
}

const owners: Readonly<Record<string, string>> = {
  session: "session: commands change the desired size, updates ignore it",
  autoscaler: "autoscaler: the autoscaler changes the desired size, updates ignore it",
  pulumi: "pulumi: each update sets the desired size",
  pods: "pods: a node starts when a pod needs its GPUs",
  outside: "external: updates ignore the desired size",
};

function priceText(cost: GpuGroupCost | undefined): string {
  if (cost?.usdPerNodeHour === undefined) return ["unknown", ...unknownTexts(cost?.lines ?? [])].join(": ");
  const atMax = cost.usdPerHourAtMax === undefined ? "" : `, ${usd(cost.usdPerHourAtMax)} per hour at maximum size`;
  return `${usd(cost.usdPerNodeHour)} per node-hour including the disk${atMax}`;
}

/** When a lease ends GPU nodes, by the names of its settings, and what it sets to 0. */
export function leaseRows({ times, hours, nodeGroups, nodePools, alarmTopics, hasSecondLine }: LeaseFacts): Fact[] {
  const alarm = `an alarm in CloudWatch, ${messagesText(alarmTopics)}`;
  if (nodePools) {
    const later = `; 75 minutes later, if instances are left, ${alarm}`;
    return [
      ["nightly", timesText(times, "nightly", "none")],
      ["expiresAt", timesText(times, "expiresAt", "none: the lease has no end")],
      ["sets to 0", `the GPU limit of ${nodePools.join(", ")}, then deletes its NodeClaims`],
      ["failures", `a failed Job in the cluster${hasSecondLine ? later : ""}`],
    ];
  }
  const groups = nodeGroups.join(", ") || "node groups known after the update";
  return [
    ["nightly", timesText(times, "nightly", "none")],
    ["hours", hours === undefined ? "none" : `${countOf(hours, "hour")} after the last gpu up`],
    ["expiresAt", timesText(times, "expiresAt", "none: the lease has no end")],
    ["sets to 0", `desired and min of ${groups}`],
    ["failures", alarm],
  ];
}

function messagesText(topics: number | undefined): string {
  if (topics === undefined) return "with messages known after the update";
  return topics === 0
    ? "without a message to you: alarmTopicArns is empty"
    : `with ${countOf(topics, "message")} by SNS`;
}

function timesText(times: readonly LeaseTime[], by: LeaseTime["by"], none: string): string {
  const texts = times.filter((time) => time.by === by).map(({ text = "known after the update" }) => text);
  return texts.join(", and ") || none;
}
