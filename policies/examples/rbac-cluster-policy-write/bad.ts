import { ClusterRole } from "@pulumi/kubernetes/rbac/v1";

new ClusterRole("ml-team", {
  metadata: { name: "ml-team" },
  // One kubectl patch can switch the device plugin off: no node of the cluster offers a GPU any more.
  rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "patch"] }],
});
