import type { Failures } from "./failure";

/** Failures of pods that wait for a GPU. */
export const waitingPodFailures: Failures = {
  "A GPU pod stays Pending": [
    { what: "The cluster has no GPU node", conclusions: ["no-gpu-nodes"] },
    {
      what: "No GPU node joins although an autoscaler started one: a quota, no capacity, or an instance that cannot join",
      rules: ["gpu-vcpu-quota"],
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["scale-up-failed"],
    },
    {
      what: "The autoscaler does not add a GPU node: a limit is reached, or a node group that is scaled to zero lacks tags",
      rules: ["cas-scale-from-zero-tags", "nodegroup-scaling-order"],
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["scale-up-refused", "no-gpu-nodes"],
    },
    {
      what: "Karpenter does not start a node: the limit of the NodePool, its taint, its zone or its instance types",
      labs: ["no-node-comes"],
      rules: ["gpu-pool-limit"],
      alerts: ["GpuPodWithoutNode"],
      conclusions: ["nodepool-limit", "nodepool-taint", "nodepool-labels", "nodepool-too-small"],
    },
    {
      what: "Karpenter does not start a node for a pod that requests its GPU with a ResourceClaim, or shares of a GPU",
      labs: ["no-node-comes"],
      alerts: ["GpuPodWithoutNode"],
      conclusions: ["nodepool-claim", "nodepool-shares"],
    },
    {
      what: "A node starts, but its start-up taint stays",
      labs: ["no-node-comes"],
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["startup-taint-stays"],
    },
    {
      what: "Kueue holds a run until its queue has enough quota, or forever because the run is larger than the quota",
      conclusions: ["waits-for-quota"],
    },
    {
      what: "All GPUs are in use, or the pod requests more GPUs than a node has",
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["gpus-in-use", "insufficient-gpu"],
    },
    {
      what: "The pod does not tolerate the taint of the GPU nodes",
      rules: ["gpu-pod-shape"],
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["untolerated-taint"],
    },
    {
      what: "A node selector, an affinity or a host name excludes every node",
      rules: ["nodeselector-hostname"],
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["node-selector-mismatch"],
    },
    {
      what: "CPU, memory, a volume or a topology spread constraint excludes every node",
      rules: ["pod-resources"],
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["insufficient-resource", "unbound-volume-claim", "topology-spread", "not-schedulable"],
    },
    {
      what: "No node offers another resource that the pod requests, such as EFA",
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["resource-not-offered"],
    },
    {
      what: "A ResourceClaim (DRA) does not exist or cannot be allocated",
      conclusions: ["resource-claim"],
    },
    {
      what: "A pod that is being deleted still holds the GPU",
      alerts: ["GpuPodUnschedulable"],
      conclusions: ["terminating-pod-holds-gpu"],
    },
    {
      what: "A ResourceQuota, Pod Security or a webhook prevents the pods of a controller from being created",
      conclusions: ["quota-exceeded", "pod-security-violation", "pods-not-created"],
    },
    {
      what: "The new pod of a rollout waits for the GPU of the old pod",
      labs: ["gpu-rollout"],
      rules: ["gpu-rollout-deadlock"],
      alerts: ["GpuRolloutDeadlock", "GpuDeploymentNotProgressing", "GpuPodUnschedulable"],
      conclusions: ["rollout-deadlock"],
    },
    {
      what: "Runs that need several GPUs each hold some of them, and wait for each other",
      labs: ["gang-deadlock"],
      alerts: ["GpuGangDeadlock", "GpuPodUnschedulable"],
      conclusions: ["gang-deadlock"],
    },
    { what: "The node is cordoned", alerts: ["GpuPodUnschedulable"], conclusions: ["node-cordoned"] },
    { what: "Pods without a GPU request fill the GPU nodes", rules: ["gpu-taint-present"] },
    {
      what: "Every node has a taint, and the add-ons cannot be scheduled",
      rules: ["system-node-group-present"],
      conclusions: ["untolerated-taint"],
    },
  ],
};
