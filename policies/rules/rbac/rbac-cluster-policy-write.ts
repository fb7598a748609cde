import type { Reader } from "../../../components/core/reader/reader";
import { all, not, type Truth } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { adviseIf, failIf, resourceRule, type Check } from "../../engine/rule";
import { clusterRoles, eachRule, holds, isAllowedRole, roles } from "../../facts/rbac";

const changing = ["update", "patch", "delete", "deletecollection", "*"];

/**
 * `kubectl patch` needs the verb patch, so taking update away alone changes nothing. A ClusterPolicy belongs to no
 * namespace: a Role that names it grants nothing, and only shows what somebody meant.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export const rbacClusterPolicyWrite = resourceRule({
  id: "rbac-cluster-policy-write",
  title: "Nobody but the GPU Operator may change its ClusterPolicy.",
  severity: "high",
  incident:
    "one kubectl patch of the ClusterPolicy removed the device plugin: in 10 seconds no node offered a GPU any more",
  types: [...clusterRoles, ...roles],
  parameters: {
    allowNames: texts(
      ["gpu-operator"],
      "Names in the cluster of roles that may change it, besides those of Kubernetes.",
    ),
  },
  *judge(resource, { allowNames }) {
    const isOther = not(isAllowedRole(resource, allowNames));
    yield* eachRule(resource, (rule) => ofRule(rule, clusterRoles.includes(resource.type), isOther));
  },
});

function* ofRule(rule: Reader, isEffective: boolean, isOther: Truth): Iterable<Check> {
  const wildcard = isEffective ? ["*"] : [];
  const verbs = rule.list("verbs");
  const grants = all(
    isOther,
    holds(rule.list("apiGroups"), ["nvidia.com", ...wildcard]),
    holds(rule.list("resources"), ["clusterpolicies", ...wildcard]),
    holds(verbs, changing),
  );
  const check = isEffective ? failIf : adviseIf;
  yield check(grants, () => ({
    path: verbs.path,
    got: "a verb that changes a ClusterPolicy",
    why: isEffective
      ? "Who holds it can switch the device plugin off for the whole cluster, while the ClusterPolicy goes on to say ready."
      : "A ClusterPolicy belongs to no namespace, so the Role grants nothing; as a ClusterRole it would.",
    fix: `keep get, list and watch in ${verbs.path}, and change the policy by the program that installs the operator`,
  }));
}
