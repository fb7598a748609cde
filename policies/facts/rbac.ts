import { any, equals, type Reader, type Reading, type Truth } from "../engine/values";
import { withPatch, type Resource } from "../engine/resource";
import type { Check } from "../engine/rule";
import { blocks, each, someOf } from "./lists";

const group = "kubernetes:rbac.authorization.k8s.io/v1";
const clusterRole = `${group}:ClusterRole`;

/** Roles for the whole cluster, and their patches. */
export const clusterRoles: readonly string[] = withPatch(clusterRole);
/** Roles for one namespace, and their patches. */
export const roles: readonly string[] = withPatch(`${group}:Role`);
/** Bindings of roles, and their patches. */
export const bindings: readonly string[] = ["ClusterRoleBinding", "RoleBinding"].flatMap((kind) =>
  withPatch(`${group}:${kind}`),
);

/**
 * Roles that Kubernetes creates and that have more permissions than these rules allow. Any role can have a name that begins
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

/**
 * Whether a role or binding has one of these names in the cluster, or Kubernetes creates the role. Pulumi generates a
 * missing name. A patch of a Kubernetes role is not allowed.
 */
export function isAllowed(resource: Resource, names: readonly string[]): Truth {
  const name = resource.text("metadata.name");
  return any(resource.type === clusterRole && name.is((text) => ofKubernetes.has(text)), equals(name, ...names));
}
