import { ClusterRole } from "@pulumi/kubernetes/rbac/v1";

export function example(good: boolean) {
  new ClusterRole("ml-team", {
    metadata: { name: "ml-team" },
    // One kubectl patch can disable the device plugin: no node of the cluster advertises a GPU.
    rules: good
      ? [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "watch"] }]
      : [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list", "patch"] }],
  });
}
