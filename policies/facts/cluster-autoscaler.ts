import { any, equals, some, type Reader, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { chartNamed, chartSources, installers } from "./charts";
import { someOf } from "./lists";

const tag = "aws:autoscaling/tag:Tag";
const deployment = "kubernetes:apps/v1:Deployment";
const prefix = "k8s.io/cluster-autoscaler/";

export const clusterAutoscaler = "eks-gpu-lab:index:ClusterAutoscaler";

/** The tags from which the Cluster Autoscaler knows the nodes of a group without nodes. */
export const nodeTemplate = `${prefix}node-template`;

/** The types that show whether a Cluster Autoscaler runs, and what it knows of a group. */
export const autoscalerTypes: readonly string[] = [clusterAutoscaler, tag, deployment, ...installers, ...chartSources];

/** Whether a stack installs the Cluster Autoscaler, or creates its identity. */
export function hasClusterAutoscaler(stack: Stack): Truth {
  return any(stack.ofType(clusterAutoscaler).length > 0, installs(stack));
}

function installs(stack: Stack): Truth {
  const isNamed = (one: Resource) =>
    one.text("metadata.name").is((name) => name.slice(0, 253).includes("cluster-autoscaler"));
  return any(
    some(stack.ofType(clusterAutoscaler), (one) => equals(one.boolean("install"), true)),
    some(stack.ofType(...installers), (one) => chartNamed(one, "cluster-autoscaler", stack).isNamed),
    some(stack.ofType(deployment), isNamed),
  );
}

/** Whether the Cluster Autoscaler adds nodes to a group: the stack installs it, or lets it discover the group by a tag. */
export function isAutoscaled(group: Resource, stack: Stack): Truth {
  // A GpuNodeGroup has the tags of a node template in any case.
  const discovers = (key: string) => key.startsWith(prefix) && !key.startsWith(nodeTemplate);
  const hasOwn = someOf(group.entries("tags"), ([key]) => discovers(key));
  return any(installs(stack), hasTag(stack, group, discovers), hasOwn);
}

/** Whether a tag of the Auto Scaling group has such a key. A tag of an unknown group counts for every group. */
export function hasTag(stack: Stack, group: Resource, isKey: (key: string) => Truth): Truth {
  return some(stack.users(group, tag, "autoscalingGroupName"), (one) => one.text("tag.key").is(isKey));
}

/** The values that tags of a group have for a key: those of its Auto Scaling group, and its own. */
export function tagValues(stack: Stack, group: Resource, key: string): { value: Reader; isMeant: Truth }[] {
  const apart = stack.users(group, tag, "autoscalingGroupName").map((one) => {
    return { value: one.at("tag.value"), isMeant: equals(one.text("tag.key"), key) };
  });
  return [...apart, { value: group.at(["tags", key]), isMeant: true }];
}
