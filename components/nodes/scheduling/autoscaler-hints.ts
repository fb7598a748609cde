import type { Problem } from "../../core/problems";
import type { InstanceType } from "../machine/instance-types";
import type { Labels } from "./labels";
import { autoscalerTaint, type Taint } from "./taints";

/** The facts of a group without nodes for the Cluster Autoscaler, from the same values that its nodes will have. */
interface HintSource {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** GPUs a node. @see InstanceType.gpus */
  readonly gpus: number;
  /** Disk that pods of a node can use, in GiB. */
  readonly ephemeralStorageGiB: number;
}

/** A tag of an Auto Scaling group. */
export interface Hint {
  /** Ends the Pulumi name of the tag: `label-tier`, `taint-nvidia.com/gpu`. */
  readonly name: string;
  readonly key: string;
  readonly value: string;
}

const prefix = "k8s.io/cluster-autoscaler/node-template";

/** @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html */
const longestTagKey = 128;

/**
 * The tags from which the Cluster Autoscaler knows the labels and taints of a group without nodes. Without them a pod
 * that asks for a GPU stays Pending: the autoscaler reads neither labels nor taints from the tags of an EKS node group.
 *
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/cloudprovider/aws/README.md
 */
export function autoscalerHints(source: HintSource): Hint[] {
  return [
    ...Object.entries(source.labels).map(([key, value]) => hint("label", key, value)),
    ...onePerKey(source.taints).map((taint) => hint("taint", taint.key, autoscalerTaint(taint))),
    ...(source.gpus > 0 ? [hint("resources", "nvidia.com/gpu", String(source.gpus))] : []),
    hint("resources", "ephemeral-storage", `${source.ephemeralStorageGiB}Gi`),
  ];
}

function hint(kind: "label" | "taint" | "resources", name: string, value: string): Hint {
  return { name: `${kind}-${name}`, key: `${prefix}/${kind}/${name}`, value };
}

/** A tag key names no effect, so of several taints with one key only one fits: one that keeps pods away for certain. */
function onePerKey(taints: readonly Taint[]): Taint[] {
  const chosen = new Map<string, Taint>();
  for (const taint of taints) {
    const earlier = chosen.get(taint.key);
    if (!earlier || earlier.effect === "PREFER_NO_SCHEDULE") chosen.set(taint.key, taint);
  }
  return [...chosen.values()];
}

/**
 * Disk that pods of a node can count on, in GiB, rounded down: a tenth is kept free (the kubelet evicts there), and 2
 * GiB cover the kubelet's own reserve and the partition table. With RAID0 the instance store contains the data of pods.
 */
export function ephemeralStorageGiB(type: InstanceType, diskSizeGiB: number, localStorage: "none" | "raid0"): number {
  const disk = localStorage === "raid0" ? (type.localNvmeGB * 1e9) / 2 ** 30 : diskSizeGiB;
  return Math.max(1, Math.floor(disk * 0.9) - 2);
}

/** Labels and taints whose tag would have a longer key than AWS allows. */
export function hintConflicts(keys: readonly string[], kind: "label" | "taint", path: string): Problem[] {
  return keys.flatMap((name): Problem[] => {
    const { key } = hint(kind, name, "");
    if (key.length <= longestTagKey) return [];
    const why = `The autoscaler's tag for it has a key of ${key.length} characters, and AWS allows ${longestTagKey}.`;
    const fix = `shorten the name to ${longestTagKey - (key.length - name.length)} characters or fewer`;
    return [{ code: "out-of-range", path, got: name, why, fix }];
  });
}
