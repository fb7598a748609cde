import { ClusterRole } from "@pulumi/kubernetes/rbac/v1";

new ClusterRole("ml-team", {
  metadata: { name: "ml-team" },
  rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "watch"] }],
});
