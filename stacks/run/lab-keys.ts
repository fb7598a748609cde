import * as v from "valibot";
import { labelValue, nodeName } from "../../components/core/kubernetes-names";
import type { Schema } from "../../components/core/schema";

/** A configuration key that belongs to single labs. */
interface LabKeyFacts {
  /** A value such as it may have. */
  readonly example: string;
  /** Why nobody but the learner can state it. */
  readonly whyNeeded: string;
  readonly schema: Schema<string>;
}

export const labKeys = {
  node: {
    example: "ip-192-168-64-10.ap-northeast-2.compute.internal",
    whyNeeded: "The fault pins a pod to one node, and only kubectl get nodes tells their names.",
    // The name becomes the value of a label, too.
    schema: v.pipe(nodeName(), labelValue()),
  },
  gpuProduct: {
    example: "NVIDIA-A10G",
    whyNeeded:
      "The remedy selects nodes by their model of GPU, and only kubectl get nodes -L nvidia.com/gpu.product tells it.",
    schema: labelValue(),
  },
} as const satisfies Record<string, LabKeyFacts>;

export type LabKey = keyof typeof labKeys;

/** What says which lab runs, and how: the stack's name, and the configuration keys as given. */
export interface LabSettings extends Readonly<Partial<Record<LabKey, unknown>>> {
  readonly stack: string;
  readonly lab: unknown;
  readonly fault?: unknown;
  readonly expires?: unknown;
  readonly environment?: unknown;
  readonly remedy?: unknown;
}
