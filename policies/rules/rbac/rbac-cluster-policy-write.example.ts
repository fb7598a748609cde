import { ClusterRole } from "@pulumi/kubernetes/rbac/v1";

export function bad() {
  new ClusterRole("ml-team", {
    metadata: { name: "ml-team" },
    // One kubectl patch can switch the device plugin off: no node of the cluster offers a GPU any more.
    rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "patch"] }],
  });
}

export function good() {
  new ClusterRole("ml-team", {
    metadata: { name: "ml-team" },
    rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "watch"] }],
  });
}
