import { Role } from "@pulumi/kubernetes/rbac/v1";

export function bad() {
  new Role("ml-team", {
    metadata: { name: "ml-team", namespace: "ml" },
    // Includes deletecollection: one command removes every Job of the namespace.
    rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["*"] }],
  });
}

export function good() {
  new Role("ml-team", {
    metadata: { name: "ml-team", namespace: "ml" },
    rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list", "watch", "create", "delete"] }],
  });
}
