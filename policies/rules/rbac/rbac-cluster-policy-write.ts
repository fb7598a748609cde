import { all, not, type Reader, type Truth } from "../../engine/values";
import { adviseAt, failAt, resourceRule, texts, type Check } from "../../engine/rule";
import { clusterRoles, eachRule, contains, isAllowed, roles } from "../../facts/rbac";

const changing = ["update", "patch", "delete", "deletecollection", "*"];

/**
 * `kubectl patch` needs the verb patch, so removing only update is not enough. A ClusterPolicy has no namespace, so a
 * Role for it grants nothing and gets a warning.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export const rbacClusterPolicyWrite = resourceRule({
  id: "rbac-cluster-policy-write",
  title: "Only the GPU Operator can change its ClusterPolicy.",
  severity: "high",
  incident:
    "one kubectl patch of the ClusterPolicy removed the device plugin, and after 10 seconds no node advertised a GPU",
  types: [...clusterRoles, ...roles],
  parameters: {
    allowNames: texts(
      ["gpu-operator"],
      "Kubernetes names of roles that may change the ClusterPolicy, in addition to the built-in roles.",
    ),
  },
  *judge(resource, { allowNames }) {
    const isOther = not(isAllowed(resource, allowNames));
    yield* eachRule(resource, (rule) => ofRule(rule, clusterRoles.includes(resource.type), isOther));
  },
});

function* ofRule(rule: Reader, isEffective: boolean, isOther: Truth): Iterable<Check> {
  const wildcard = isEffective ? ["*"] : [];
  const verbs = rule.list("verbs");
  const grants = all(
    isOther,
    contains(rule.list("apiGroups"), ["nvidia.com", ...wildcard]),
    contains(rule.list("resources"), ["clusterpolicies", ...wildcard]),
    contains(verbs, changing),
  );
  const check = isEffective ? failAt : adviseAt;
  yield check(verbs, grants, {
    got: "a verb that changes a ClusterPolicy",
    why: isEffective
      ? "A user of the role can disable the device plugin for the whole cluster, while the ClusterPolicy stays ready."
      : "A ClusterPolicy has no namespace, so the Role grants nothing. A ClusterRole would grant it.",
    fix: `keep only get, list and watch in ${verbs.path}, and change the ClusterPolicy in the program that installs the operator`,
  });
}
