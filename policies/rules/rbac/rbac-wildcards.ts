import { all, equals, not, type Truth } from "../../engine/values";
import { failAt, resourceRule, texts, type Check, type Resource } from "../../engine/rule";
import { bindings, clusterRoles, eachRule, contains, isAllowed, roles } from "../../facts/rbac";

/** @see https://kubernetes.io/docs/concepts/security/rbac-good-practices/#least-privilege */
export const rbacWildcards = resourceRule({
  id: "rbac-wildcards",
  title: "Roles list what they allow, and nothing is bound to cluster-admin.",
  severity: "medium",
  incident: "a role with full access could also patch the ClusterPolicy, which removed the device plugin",
  types: [...clusterRoles, ...roles, ...bindings],
  parameters: {
    allowNames: texts(
      ["cluster-admin", "gpu-operator"],
      "Kubernetes names of roles and bindings that the rule ignores, in addition to the built-in roles.",
    ),
  },
  judge(resource, { allowNames }) {
    const isOther = not(isAllowed(resource, allowNames));
    return bindings.includes(resource.type) ? ofBinding(resource, isOther) : ofRole(resource, isOther);
  },
});

function* ofRole(resource: Resource, isOther: Truth): Iterable<Check> {
  yield* eachRule(resource, function* (rule) {
    for (const list of ["verbs", "resources", "apiGroups"].map((key) => rule.list(key))) {
      yield failAt(list, all(isOther, contains(list, ["*"])), {
        got: "*",
        why: "A wildcard also allows what later versions of Kubernetes or of an operator add.",
        fix: `list the ${list.path.split(".").at(-1)} that are used`,
      });
    }
  });
}

function* ofBinding(resource: Resource, isOther: Truth): Iterable<Check> {
  const name = resource.text("roleRef.name");
  yield failAt(name, all(isOther, equals(name, "cluster-admin")), {
    got: "cluster-admin",
    why: "The role gives full access, such as reading every secret and changing every GPU setting.",
    fix: "bind a role that lists the needed permissions; for people, use an EKS access entry, which an administrator can see and delete",
  });
}
