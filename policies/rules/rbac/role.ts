import type { Reader } from "../../core/reader";
import type { Reading } from "../../core/reading";
import type { Resource } from "../../core/resource";
import type { Check } from "../../core/rule";
import type { Truth } from "../../core/unknown";
import { blocks, each, someOf } from "../workloads/each";

export const role = "kubernetes:rbac.authorization.k8s.io/v1:Role";
export const clusterRole = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
export const roleBinding = "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding";
export const clusterRoleBinding = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding";

/** The checks of each rule of a role. */
export function eachRule(resource: Resource, judge: (rule: Reader) => Iterable<Check>): Iterable<Check> {
  return each(blocks(resource.list("rules")), judge);
}

/** Whether a list of a role's rule holds one of these words. Kubernetes compares them as they are written. */
export function holds(list: Reading<readonly Reader[]>, words: readonly string[]): Truth {
  return someOf(list, (item) => item.text().is((word) => words.includes(word)));
}

/** Whether a role or binding has one of these names in the cluster; a name without one is Pulumi's. */
export function isNamed(resource: Resource, names: readonly string[]): Truth {
  return resource.text("metadata.name").is((name) => name.startsWith("system:") || names.includes(name));
}
