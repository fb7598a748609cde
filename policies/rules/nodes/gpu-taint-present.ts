import { all, any, not, type Reader, type Truth } from "../../engine/values";
import { adviseAt, failAt, onEach, stackRule, text, type Check, type Resource, type Stack } from "../../engine/rule";
import { templateTypes } from "../../facts/launch-templates";
import { someOf } from "../../facts/lists";
import { groupsOf, isGpuGroup, taintsOf } from "../../facts/node-groups";
import { machinesOf, nodeTypes } from "../../facts/node-sources";
import { selfManagedTaints } from "../../facts/user-data-taints";

/**
 * Self-managed nodes set their taints in user data: with the kubelet's argument `--register-with-taints`, the
 * NodeConfig of AL2023, or Bottlerocket's settings. Arguments of @pulumi/eks can also set them. The rule ignores Auto
 * Scaling groups whose nodes do not join an EKS cluster. A `GpuNodeGroup` always sets the taint and the label, so only
 * the node group that it creates is checked.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-taints-managed-node-groups.html
 */
export const gpuTaintPresent = stackRule({
  id: "gpu-taint-present",
  title: "GPU nodes have a taint that repels pods without a GPU.",
  severity: "high",
  incident:
    "pods without a GPU limit filled the only GPU node, and a training job stayed Pending while the GPU was idle",
  types: [...nodeTypes, ...templateTypes],
  parameters: {
    key: text("nvidia.com/gpu", "Key of the taint."),
    label: text(
      "nvidia.com/gpu",
      "Key of a label that every GPU node has, or the part of the key before a dot. An empty string disables the check.",
    ),
  },
  *judge(stack, { key, label }) {
    yield* onEach(groupsOf(stack, nodeTypes), function* (group) {
      if (machinesOf(group.type).kind !== "self-managed") {
        yield* ofTaint(group, stack, taintOf(group, key), key);
        if (label !== "") yield ofLabel(group, stack, label);
      } else {
        const taints = selfManagedTaints(group, stack);
        yield* ofTaint(group, stack, selfManagedTaint(taints, key), key, taints.joinsCluster);
      }
    });
  },
});

function* ofTaint(group: Resource, stack: Stack, taint: Taint, key: string, isJudged: Truth = true): Iterable<Check> {
  const isGpu = all(isGpuGroup(group, stack), isJudged);
  const { add, effects } = taint;
  const isHard = taint.isHard((name) => name === key);
  const isOtherHard = taint.isHard((name) => name !== key);
  yield failAt(taint, all(isGpu, not(any(isHard, isOtherHard))), {
    why: `Pods without a GPU can fill a GPU node, so pods that need the GPU find no memory or CPU. Only a taint with ${effects} repels pods.`,
    fix: add,
  });
  yield adviseAt(taint, all(isGpu, isOtherHard, not(isHard)), {
    got: "a taint with another key",
    why: `GPU workloads usually tolerate only ${key}. The GPU Operator and most examples therefore do not run on these nodes.`,
    fix: `${add}, or set "key" in the policy configuration to your key, and tolerate it in every workload for these nodes`,
  });
}

function ofLabel(group: Resource, stack: Stack, label: string): Check {
  const labels = group.entries(machinesOf(group.type).labels ?? "labels");
  const isLabel = (name: string) => name === label || name.startsWith(`${label}.`);
  const isLabelled = someOf(labels, ([name, value]) => isLabel(name) && not(value.text().isAbsent));
  return adviseAt(labels, all(isGpuGroup(group, stack), not(isLabelled)), {
    got: labels.value ? "labels without this key" : labels.shown,
    why: "The labels of GPU feature discovery exist only after it finds a GPU. Without a label on the node group, nothing can select a node whose GPU is missing.",
    fix: `add "${label}": "true" to ${labels.path}`,
  });
}

interface Taint {
  readonly path: string;
  readonly shown: string;
  /** Whether a taint with such a key repels pods. */
  readonly isHard: (isKey: (name: string) => boolean) => Truth;
  /** How to add the taint. */
  readonly add: string;
  /** The effects that repel pods. */
  readonly effects: string;
}

function selfManagedTaint({ path, isHard }: Pick<Taint, "path" | "isHard">, key: string): Taint {
  const add =
    path === "taints" || path.endsWith(".taints")
      ? `add "${key}": { value: "true", effect: "NoSchedule" } to ${path}`
      : `add --register-with-taints=${key}=true:NoSchedule to the kubelet's arguments in ${path} (NodeConfig: spec.kubelet.flags, Bottlerocket: settings.kubernetes.node-taints)`;
  return { path, shown: "no taint with this key", isHard, add, effects: "NoSchedule or NoExecute" };
}

const eksEffects = ["PREFER_NO_SCHEDULE", "NO_SCHEDULE", "NO_EXECUTE"] as const;

/** The effects are in the spelling of the type, which rejects any other. */
function taintOf(group: Resource, key: string): Taint {
  const taints = taintsOf(group);
  const [soft, ...hard] = machinesOf(group.type).effects ?? eksEffects;
  const effectOf = (taint: Reader) => taint.choice("effect", [...hard, soft]);
  const repels = (taint: Reader) => effectOf(taint).is((word) => word !== soft);
  const isHard = (isKey: (name: string) => boolean) =>
    someOf(taints, (taint) => all(taint.text("key").is(isKey), repels(taint)));
  const own = taints.value?.find((taint) => taint.text("key").value === key);
  const { path, shown } = own
    ? effectOf(own)
    : { path: taints.path, shown: taints.value ? "a list without this key" : taints.shown };
  const add = `add { key: "${key}", value: "true", effect: "${hard[0]}" } to ${taints.path}`;
  return { path, shown, isHard, add, effects: hard.join(" or ") };
}
