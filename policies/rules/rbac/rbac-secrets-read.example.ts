import { ClusterRole, Role } from "@pulumi/kubernetes/rbac/v1";

export function bad() {
  new ClusterRole("dashboard", {
    metadata: { name: "dashboard" },
    // The verb list returns the content of the secrets, in every namespace.
    rules: [{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "list", "watch"] }],
  });
}

export function good() {
  new ClusterRole("dashboard", {
    metadata: { name: "dashboard" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }],
  });

  new Role("dashboard-login", {
    metadata: { name: "dashboard-login", namespace: "dashboard" },
    rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["login"], verbs: ["get"] }],
  });
}
