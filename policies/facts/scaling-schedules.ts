import { some, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { isGpuGroup } from "./node-groups";
import { typesOf } from "./node-sources";

/** Whether a schedule is for an Auto Scaling group with GPUs, also for that of a node group or of a component. */
export function schedulesGpus(one: Resource, groups: readonly Resource[], stack: Stack): Truth {
  return some(groupsNamedBy(one, groups), (group) => isGpuGroup(group, stack));
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
