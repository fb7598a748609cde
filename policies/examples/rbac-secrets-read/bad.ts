import { ClusterRole } from "@pulumi/kubernetes/rbac/v1";

new ClusterRole("dashboard", {
  metadata: { name: "dashboard" },
  // Listing shows what is in them, in every namespace.
  rules: [{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "list", "watch"] }],
});
