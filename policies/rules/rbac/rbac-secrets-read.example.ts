import { ClusterRole, Role } from "@pulumi/kubernetes/rbac/v1";

export function example(good: boolean) {
  // The verb list returns the content of the secrets, in every namespace.
  const resources = good ? ["pods"] : ["pods", "secrets"];
  new ClusterRole("dashboard", {
    metadata: { name: "dashboard" },
    rules: [{ apiGroups: [""], resources, verbs: ["get", "list", "watch"] }],
  });

  if (good) {
    new Role("dashboard-login", {
      metadata: { name: "dashboard-login", namespace: "dashboard" },
      rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["login"], verbs: ["get"] }],
    });
  }
}
