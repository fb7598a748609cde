import { some, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { isGpuGroup } from "./node-groups";
import { schedule } from "./node-sources";

/** Whether a schedule is for an Auto Scaling group with GPUs, also for that of a node group or of a component. */
export function schedulesGpus(one: Resource, groups: readonly Resource[], stack: Stack): Truth {
  return some(groupsOfSchedule(one, groups), (group) => isGpuGroup(group, stack));
}

/** Whether another schedule of the same group ends what a schedule starts. */
export function isEnded(one: Resource, stack: Stack, most: number): Truth {
  const others = stack.ofType(schedule).filter((other) => other !== one && isSameGroup(one, other));
  const sizes = others.map((other) => other.integer("desiredCapacity").or(0));
  return some(sizes, (size) => size.is((nodes) => nodes >= 0 && nodes <= most));
}

function isSameGroup(one: Resource, other: Resource): boolean {
  const [name, another] = [one, other].map((each) => each.text("autoscalingGroupName").value);
  const behind = other.dependenciesOf("autoscalingGroupName");
  return (
    (name !== undefined && name === another) ||
    one.dependenciesOf("autoscalingGroupName").some((urn) => behind.includes(urn))
  );
}

/** The scheduled actions of an Auto Scaling group. */
export function schedulesOf(group: Resource, stack: Stack): Resource[] {
  return stack.ofType(schedule).filter((one) => groupsOfSchedule(one, [group]).length > 0);
}

/** The group whose output a schedule uses, or that has its name. */
export function groupsOfSchedule(one: Resource, groups: readonly Resource[]): Resource[] {
  const behind = one.dependenciesOf("autoscalingGroupName");
  const name = one.text("autoscalingGroupName").value;
  return groups.filter(
    (group) => behind.includes(group.urn) || (name !== undefined && group.text("name").value === name),
  );
}
