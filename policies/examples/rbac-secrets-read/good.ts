import { ClusterRole, Role } from "@pulumi/kubernetes/rbac/v1";

new ClusterRole("dashboard", {
  metadata: { name: "dashboard" },
  rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }],
});

new Role("dashboard-login", {
  metadata: { name: "dashboard-login", namespace: "dashboard" },
  rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["login"], verbs: ["get"] }],
});
