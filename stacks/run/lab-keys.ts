/** A configuration key that only some labs use. */
interface LabKeyFacts {
  /** An example of its value. */
  readonly example: string;
  /** Why the learner must set it. */
  readonly whyNeeded: string;
}

export const labKeys = {
  node: {
    example: "ip-192-168-64-10.ap-northeast-2.compute.internal",
    whyNeeded: "The fault pins a pod to one node; kubectl get nodes shows the names.",
  },
  gpuProduct: {
    example: "NVIDIA-A10G",
    whyNeeded: "The remedy selects nodes by GPU model; kubectl get nodes -L nvidia.com/gpu.product shows it.",
  },
} as const satisfies Record<string, LabKeyFacts>;

export type LabKey = keyof typeof labKeys;
