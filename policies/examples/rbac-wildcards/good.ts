import { Role } from "@pulumi/kubernetes/rbac/v1";

new Role("ml-team", {
  metadata: { name: "ml-team", namespace: "ml" },
  rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list", "watch", "create", "delete"] }],
});
