import { all, not } from "../../engine/values";
import { failAt, resourceRule, texts } from "../../engine/rule";
import { clusterRoles, eachRule, contains, isAllowed } from "../../facts/rbac";

const reading = ["get", "list", "watch", "*"];

/**
 * A ClusterRole that is bound in one namespace can later be bound in the whole cluster. The verbs list and watch also
 * return the content of secrets. The rule rbac-wildcards checks wildcards.
 * @see https://kubernetes.io/docs/concepts/security/rbac-good-practices/#listing-secrets
 * @see https://github.com/hazelcast/hazelcast-platform-operator/issues/390
 */
export const rbacSecretsRead = resourceRule({
  id: "rbac-secrets-read",
  title: "No role can read the secrets of the whole cluster.",
  severity: "medium",
  incident:
    "an operator bound a ClusterRole to a service account in one namespace, whose editors could read the secrets of all namespaces",
  types: clusterRoles,
  parameters: {
    allowNames: texts(
      ["gpu-operator"],
      "Kubernetes names of roles that may read every secret, in addition to the built-in roles.",
    ),
  },
  *judge(resource, { allowNames }) {
    const isOther = not(isAllowed(resource, allowNames));
    yield* eachRule(resource, function* (rule) {
      const names = rule.list("resourceNames").or([]);
      const hasNoNames = names.is(({ length }) => length === 0);
      const resources = rule.list("resources");
      const reads = all(contains(rule.list("apiGroups"), ["", "*"]), contains(resources, ["secrets"]));
      yield failAt(resources, all(isOther, hasNoNames, reads, contains(rule.list("verbs"), reading)), {
        got: "read access to every secret",
        why: "A cluster-wide binding gives access to the tokens and passwords of every namespace, and therefore to the permissions of their owners.",
        fix: "move the rule to a Role in the namespace that needs it, or list the secrets in resourceNames and keep only the verb get",
      });
    });
  },
});
