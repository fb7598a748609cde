import * as v from "valibot";
import { labelValue, nodeName } from "../../components/core/kubernetes-names";
import type { Schema } from "../../components/core/schema";

/** A configuration key that only some labs use. */
interface LabKeyFacts {
  /** An example of its value. */
  readonly example: string;
  /** Why the learner must set it. */
  readonly whyNeeded: string;
  readonly schema: Schema<string>;
}

export const labKeys = {
  node: {
    example: "ip-192-168-64-10.ap-northeast-2.compute.internal",
    whyNeeded: "The fault pins a pod to one node; kubectl get nodes shows the names.",
    // The name is also used as the value of a label.
    schema: v.pipe(nodeName(), labelValue()),
  },
  gpuProduct: {
    example: "NVIDIA-A10G",
    whyNeeded: "The remedy selects nodes by GPU model; kubectl get nodes -L nvidia.com/gpu.product shows it.",
    schema: labelValue(),
  },
} as const satisfies Record<string, LabKeyFacts>;

export type LabKey = keyof typeof labKeys;

/** Which lab runs, and how: the stack's name and the configuration keys as given. */
export interface LabSettings extends Readonly<Partial<Record<LabKey, unknown>>> {
  readonly stack: string;
  readonly lab: unknown;
  readonly fault?: unknown;
  readonly expires?: unknown;
  readonly environment?: unknown;
  readonly remedy?: unknown;
}
