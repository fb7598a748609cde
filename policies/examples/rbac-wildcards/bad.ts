import { Role } from "@pulumi/kubernetes/rbac/v1";

new Role("ml-team", {
  metadata: { name: "ml-team", namespace: "ml" },
  // Also deletecollection: one command removes every job of the namespace.
  rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["*"] }],
});
