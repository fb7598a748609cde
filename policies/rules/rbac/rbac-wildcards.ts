import { all, not, type Truth } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { failIf, resourceRule, type Check } from "../../engine/rule";
import { bindings, clusterRoles, eachRule, holds, isAllowedRole, isNamed, roles } from "../../facts/rbac";

/** @see https://kubernetes.io/docs/concepts/security/rbac-good-practices/#least-privilege */
export const rbacWildcards = resourceRule({
  id: "rbac-wildcards",
  title: "Roles name what they allow, and nobody is bound to cluster-admin.",
  severity: "medium",
  incident: "a role that could do anything could patch the ClusterPolicy too, and the device plugin was gone",
  types: [...clusterRoles, ...roles, ...bindings],
  parameters: {
    allowNames: texts(
      ["cluster-admin", "gpu-operator"],
      "Names in the cluster of roles and bindings that the rule leaves alone, besides the roles of Kubernetes.",
    ),
  },
  judge(resource, { allowNames }) {
    return bindings.includes(resource.type)
      ? ofBinding(resource, not(isNamed(resource, allowNames)))
      : ofRole(resource, not(isAllowedRole(resource, allowNames)));
  },
});

function* ofRole(resource: Resource, isOther: Truth): Iterable<Check> {
  yield* eachRule(resource, function* (rule) {
    for (const list of ["verbs", "resources", "apiGroups"].map((key) => rule.list(key))) {
      yield failIf(all(isOther, holds(list, ["*"])), () => ({
        path: list.path,
        got: "*",
        why: "It allows also what a later version of Kubernetes or of an operator adds.",
        fix: `name the ${list.path.split(".").at(-1)} that are used`,
      }));
    }
  });
}

function* ofBinding(resource: Resource, isOther: Truth): Iterable<Check> {
  const name = resource.text("roleRef.name");
  yield failIf(
    all(
      isOther,
      name.is((given) => given === "cluster-admin"),
    ),
    () => ({
      path: name.path,
      got: "cluster-admin",
      why: "Its holders may do anything, such as read every secret and change every GPU setting.",
      fix: "bind a role that names what is needed; for people use an EKS access entry, which an administrator can see and end",
    }),
  );
}
