import { Role } from "@pulumi/kubernetes/rbac/v1";

export function example(good: boolean) {
  new Role("ml-team", {
    metadata: { name: "ml-team", namespace: "ml" },
    // Includes deletecollection: one command removes every Job of the namespace.
    rules: good
      ? [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list", "watch", "create", "delete"] }]
      : [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["*"] }],
  });
}
