import { ownValue } from "../../components/core/reader/records";
import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import { Reading, type Reader } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { nodesWithin } from "./karpenter";
import { machineTypes, overridesOf } from "./node-groups";
import { machinesOf } from "./node-sources";

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

/** Shows an instance type of the table, which is no secret. */
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

/** The most instances, or units, of a resource. Absent for a pool of Karpenter without a number: its limits decide. */
export function mostOf(resource: Resource): Reading<number> {
  return machinesOf(resource.type).sizes ? sizeOf(resource, "max") : instancesOf(resource);
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
  const weights = overridesOf(resource).map((override) => override.number("weightedCapacity"));
  const largest = Math.max(1, ...weights.map(({ value = 1 }) => value));
  return weights.find(({ isUnknown }) => isUnknown) ?? Reading.known("", largest, "units");
}

/** Instances of an Auto Scaling group that wait outside of its desired capacity. */
export interface WarmPool {
  readonly state: Reading<string>;
  /** The least number of instances that wait. */
  readonly least: Reading<number>;
  /** The most instances that run or wait: without a limit of its own, as many as the group may start. */
  readonly most: Reading<number>;
}

/** @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-warm-pools.html */
export function warmPoolOf(group: Resource): WarmPool | undefined {
  const pool = group.at("warmPool");
  return pool.entries().isAbsent === true ? undefined : warmPoolIn(pool, group);
}

/** The warm pool of a group in a block of the group, or in a resource of its own. */
export function warmPoolIn(pool: Reader, group: Resource): WarmPool {
  const limit = pool.integer("maxGroupPreparedCapacity");
  const most = limit.isAbsent === true || limit.value === -1 ? sizeOf(group, "max") : limit;
  return { state: pool.text("poolState").or("Stopped"), least: pool.integer("minSize").or(0), most };
}
