import { ClusterRole } from "@pulumi/kubernetes/rbac/v1";

export function bad() {
  new ClusterRole("ml-team", {
    metadata: { name: "ml-team" },
    // One kubectl patch can disable the device plugin: no node of the cluster advertises a GPU.
    rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "patch"] }],
  });
}

export function good() {
  new ClusterRole("ml-team", {
    metadata: { name: "ml-team" },
    rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "watch"] }],
  });
}
