import { any, equals, type Reader, type Reading, type Truth } from "../engine/values";
import { patchOf, type Resource } from "../engine/resource";
import type { Check } from "../engine/rule";
import { blocks, each, someOf } from "./lists";

export const role = "kubernetes:rbac.authorization.k8s.io/v1:Role";
const clusterRole = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
const roleBinding = "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding";
const clusterRoleBinding = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding";

/** Roles for the whole cluster, and their patches. */
export const clusterRoles: readonly string[] = [clusterRole, patchOf(clusterRole)];
/** Roles for one namespace, and their patches. */
export const roles: readonly string[] = [role, patchOf(role)];
/** Bindings of roles, and their patches. */
export const bindings: readonly string[] = [clusterRoleBinding, roleBinding].flatMap((kind) => [kind, patchOf(kind)]);

/**
 * Roles that Kubernetes creates and that have more rights than these rules allow. Any role can have a name that begins
 * with `system:`, so the whole name counts.
 * @see https://github.com/kubernetes/kubernetes/tree/v1.35.0/plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata
 */
const ofKubernetes: ReadonlySet<string> = new Set([
  ...["cluster-admin", "system:aggregate-to-edit", "system:kube-controller-manager", "system:kubelet-api-admin"],
  ...["system:node", "system:controller:disruption-controller", "system:controller:generic-garbage-collector"],
  ...["system:controller:horizontal-pod-autoscaler", "system:controller:namespace-controller"],
  "system:controller:resourcequota-controller",
]);

/** The checks of each rule of a role. */
export function eachRule(resource: Resource, judge: (rule: Reader) => Iterable<Check>): Iterable<Check> {
  return each(blocks(resource.list("rules")), judge);
}

/** Whether a list in a rule of a role contains one of these words. Kubernetes compares them case-sensitively. */
export function contains(list: Reading<readonly Reader[]>, words: readonly string[]): Truth {
  return someOf(list, (item) => equals(item.text(), ...words));
}

/** Whether a role or binding has one of these names in the cluster. Pulumi generates a missing name. */
export function isNamed(resource: Resource, names: readonly string[]): Truth {
  return equals(resource.text("metadata.name"), ...names);
}

/** Whether a role is created by Kubernetes or has one of these names. A patch of a Kubernetes role is not allowed. */
export function isAllowedRole(resource: Resource, names: readonly string[]): Truth {
  const isOwn = resource.type === clusterRole && resource.text("metadata.name").is((name) => ofKubernetes.has(name));
  return any(isOwn, isNamed(resource, names));
}
