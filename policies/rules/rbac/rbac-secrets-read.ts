import { all, any, not } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { failIf, resourceRule } from "../../engine/rule";
import { clusterRoles, eachRule, holds, isAllowedRole } from "../../facts/rbac";

const reading = ["get", "list", "watch", "*"];

/**
 * A ClusterRole may be bound in one namespace alone, yet nothing in it says so, and the next binding is for the whole
 * cluster. Who lists or watches secrets gets their content too. A wildcard in place of the word secrets is the business
 * of rbac-wildcards.
 * @see https://kubernetes.io/docs/concepts/security/rbac-good-practices/#listing-secrets
 * @see https://github.com/hazelcast/hazelcast-platform-operator/issues/390
 */
export const rbacSecretsRead = resourceRule({
  id: "rbac-secrets-read",
  title: "No role reads the secrets of the whole cluster.",
  severity: "medium",
  incident:
    "an operator gave the service account of one namespace a ClusterRole, and its editors read the secrets of all others",
  types: clusterRoles,
  parameters: {
    allowNames: texts(
      ["gpu-operator"],
      "Names in the cluster of roles that may read every secret, besides the roles of Kubernetes.",
    ),
  },
  *judge(resource, { allowNames }) {
    const isOther = not(isAllowedRole(resource, allowNames));
    yield* eachRule(resource, function* (rule) {
      const named = rule.list("resourceNames");
      const namesNone = any(
        named.isAbsent,
        named.is(({ length }) => length === 0),
      );
      const resources = rule.list("resources");
      const reads = all(holds(rule.list("apiGroups"), ["", "*"]), holds(resources, ["secrets"]));
      yield failIf(all(isOther, namesNone, reads, holds(rule.list("verbs"), reading)), () => ({
        path: resources.path,
        got: "every secret, to read",
        why: "Whoever is bound to it for the cluster reads the tokens and passwords of every namespace, and can act as their owners.",
        fix: "move it to a Role in the namespace that needs it, or name the secrets in resourceNames and keep the verb get",
      }));
    });
  },
});
