import { ownValue } from "../../components/core/reader/records";
import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import { Reading, some, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { nodesWithin } from "./karpenter";
import { machineTypes, overridesOf } from "./node-groups";
import { machinesOf, typesOf, warmPool } from "./node-sources";

/** A size of a group, or the default of its type. */
export function sizeOf(group: Resource, size: "min" | "desired" | "max"): Reading<number> {
  const sizes = machinesOf(group.type).sizes;
  const given = group.integer(sizes?.[size]);
  if (sizes?.unchanged !== undefined && given.value === sizes.unchanged) return Reading.absent(given.path);
  const fallback = sizes?.defaults?.[size];
  return fallback === undefined ? given : given.or(fallback, `nothing, which means ${fallback}`);
}

/** The size at which a group starts: without a desired size its minimum. */
export function startingSize(group: Resource): Reading<number> {
  const desired = sizeOf(group, "desired");
  return desired.isAbsent === true ? sizeOf(group, "min") : desired;
}

/** The number of instances that a resource other than a group starts or reserves. A block counts as one. */
export function instancesOf(resource: Resource): Reading<number> {
  const { kind, count = [], countDefault, sizes, type, requirements } = machinesOf(resource.type);
  if (kind === "block") return Reading.known("capacityBlockOfferingId", 1, "an offering");
  if (sizes) return inInstances(resource, startingSize(resource));
  const counts = count.map((path) => resource.integer(path));
  const given = counts.find(({ isAbsent }) => isAbsent !== true) ?? counts[0];
  const isStated = given !== undefined && (given.isAbsent !== true || countDefault === undefined);
  return isStated ? inInstances(resource, given) : oneInstance(resource, type ?? requirements ?? count[0]);
}

/** Shows an instance type of the table, which is not a secret. */
function oneInstance(resource: Resource, path = "launchTemplate"): Reading<number> {
  const type = resource.text(path);
  const { value: name = "" } = type;
  const isInTemplate = type.isAbsent === true && resource.entries("launchTemplate").isAbsent === false;
  const place = isInTemplate ? resource.at("launchTemplate") : type;
  return Reading.known(place.path, 1, instanceType(name.replace(/^ml\./, "")) ? name : "1 instance");
}

/** An instance type that a resource may start, and the most instances of it. */
export interface Option {
  readonly type: Reading<string>;
  readonly most: Reading<number>;
}

/** The most instances, or vCPUs, of a resource. Absent for a pool of Karpenter without a number: its limits decide. */
export function mostOf(resource: Resource): Reading<number> {
  const { sizes, isInVcpus } = machinesOf(resource.type);
  if (!sizes) return instancesOf(resource);
  const max = sizeOf(resource, "max");
  return isInVcpus ? max : inInstances(resource, max);
}

/** What a resource may start. */
export function optionsOf(resource: Resource, stack: Stack): Option[] {
  const [most, { limits }] = [mostOf(resource), machinesOf(resource.type)];
  const isWithin = limits !== undefined && most.isAbsent === true;
  return machineTypes(resource, stack).map((type) => {
    return { type, most: isWithin ? nodesWithin(resource.entries(limits), type) : most };
  });
}

/** A number of weighted units or of vCPUs, as instances of the largest type. */
export function inInstances(resource: Resource, given: Reading<number>): Reading<number> {
  const perInstance = unitsOf(resource);
  if (perInstance.isUnknown) return Reading.unknown(perInstance.path);
  const { value: units = 1, shown } = perInstance;
  const inUnits = () => `${given.shown} ${shown}`;
  return units > 1 ? given.map((number) => Math.ceil(number / units), inUnits) : given;
}

/** What an instance of a type counts as in a target of another unit. */
const units: Readonly<Record<string, readonly [shown: string, of: (type: InstanceType) => number]>> = {
  vcpu: ["vCPUs", ({ vcpus }) => vcpus],
  "memory-mib": ["MiB", ({ memoryGiB }) => memoryGiB * 1024],
};

/** What an instance of the largest type counts as. */
function unitsOf(resource: Resource): Reading<number> {
  const stated = resource.text("targetCapacitySpecification.targetCapacityUnitType").value ?? "";
  const unit = ownValue(units, machinesOf(resource.type).isInVcpus ? "vcpu" : stated);
  if (unit) {
    const [shown, of] = unit;
    const types = machineTypes(resource).flatMap(({ value = "" }) => instanceType(value) ?? []);
    return Reading.known("", Math.max(1, ...types.map(of)), shown);
  }
  const weights = overridesOf(resource).map((override) => {
    const whole = override.integer("weightedCapacity");
    return whole.isMalformed === true ? override.number("weightedCapacity") : whole;
  });
  const largest = Math.max(1, ...weights.map(({ value = 1 }) => value));
  return weights.find(({ isUnknown }) => isUnknown) ?? Reading.known("", largest, "units");
}

/** Instances of a group that wait outside of its desired capacity. */
export interface WarmPool {
  /** The resource that describes it: the group, or one of its own. */
  readonly holder: Resource;
  readonly state: Reading<string>;
  readonly isRunning: Truth;
  /** The least number of instances that wait. */
  readonly least: Reading<number>;
  /** The most instances that run or wait: without a limit of its own, as many as the group may start. */
  readonly most: Reading<number>;
}

/**
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-warm-pools.html
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_WarmPoolConfig.html
 */
export function warmPoolOf(group: Resource, stack: Stack): WarmPool | undefined {
  const block = group.at(machinesOf(group.type).warmPool ?? "warmPool");
  const apart = stack.ofType(warmPool).find((one) => groupsNamedBy(one, [group]).length > 0);
  const isInline = block.entries().isAbsent !== true;
  const pool = isInline ? block : apart;
  if (!pool || pool.boolean("enabled").value === false) return undefined;
  const limit = pool.integer("maxGroupPreparedCapacity");
  const state = pool.text("poolState").or("Stopped");
  return {
    holder: isInline || !apart ? group : apart,
    state,
    isRunning: state.is((word) => /^running$/i.test(word)),
    least: pool.integer("minSize").or(0),
    most: limit.isAbsent === true || limit.value === -1 ? sizeOf(group, "max") : limit,
  };
}

/** The most instances at any time: a schedule may raise the maximum of a group, and a warm pool may run beyond it. */
export function peakOf(resource: Resource, stack: Stack): Reading<number> {
  const schedules = schedulesOf(resource, stack).map((one) =>
    named(`maxSize of ${one.name}`, sizeOf(one, "max").value),
  );
  const most = schedules.reduce(larger, mostOf(resource));
  const pool = warmPoolOf(resource, stack);
  if (pool?.isRunning !== true || most.value === undefined) return most;
  const { path, value = 0 } = pool.least;
  return [named(`${most.path} + ${path}`, most.value + value), pool.most].reduce(larger, most);
}

function named(path: string, value: number | undefined): Reading<number> {
  return value === undefined ? Reading.absent(path) : Reading.known(path, value, String(value));
}

function larger(one: Reading<number>, other: Reading<number>): Reading<number> {
  return (other.value ?? 0) > (one.value ?? Infinity) ? other : one;
}

/** Whether another schedule of the same group ends what a schedule starts. */
export function isEnded(one: Resource, stack: Stack, most: number): Truth {
  const others = stack.ofType(...typesOf("schedule")).filter((other) => other !== one && isSameGroup(one, other));
  const sizes = others.map((other) => other.integer("desiredCapacity").or(0));
  return some(sizes, (size) => size.is((nodes) => nodes >= 0 && nodes <= most));
}

function isSameGroup(one: Resource, other: Resource): boolean {
  const [name, another] = [one, other].map(groupNameOf);
  const behind = urnsOfGroup(other);
  return (name !== undefined && name === another) || urnsOfGroup(one).some((urn) => behind.includes(urn));
}

/** The scheduled actions of an Auto Scaling group. */
export function schedulesOf(group: Resource, stack: Stack): Resource[] {
  return stack.ofType(...typesOf("schedule")).filter((one) => groupsNamedBy(one, [group]).length > 0);
}

/** The Auto Scaling group whose output a schedule or a warm pool uses, or that it names. */
export function groupsNamedBy(one: Resource, groups: readonly Resource[]): Resource[] {
  const [behind, name] = [urnsOfGroup(one), groupNameOf(one)];
  const namesOf = (group: Resource) => ["name", "autoScalingGroupName"].map((key) => group.text(key).value);
  return groups.filter((group) => behind.includes(group.urn) || (name !== undefined && namesOf(group).includes(name)));
}

/** As the types of AWS and of aws-native spell it. */
const groupKeys = ["autoscalingGroupName", "autoScalingGroupName"];

function urnsOfGroup(one: Resource): string[] {
  return groupKeys.flatMap((key) => one.dependenciesOf(key));
}

function groupNameOf(one: Resource): string | undefined {
  return groupKeys.map((key) => one.text(key).value).find((name) => name !== undefined);
}
