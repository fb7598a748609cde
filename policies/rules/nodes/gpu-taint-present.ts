import type { Reader } from "../../../components/core/reader/reader";
import { all, any, not, some, type Truth } from "../../../components/core/reader/truth";
import { text } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import { groupsOf, isGpuGroup, managedNodeGroup, nodeGroup } from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup];

/**
 * A `GpuNodeGroup` always sets the taint and the label, so only the node group that it creates is checked. Messages
 * show the values of the policy configuration, which are not secret.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-taints-managed-node-groups.html
 */
export const gpuTaintPresent = stackRule({
  id: "gpu-taint-present",
  title: "GPU nodes have a taint that repels pods without a GPU.",
  severity: "high",
  incident:
    "pods without a GPU limit filled the only GPU node, and a training job stayed Pending while the GPU was idle",
  types: [...groups, launchTemplate],
  parameters: {
    key: text("nvidia.com/gpu", "Key of the taint."),
    label: text(
      "nvidia.com/gpu",
      "Key of a label that every GPU node has, or the part of the key before a dot. An empty string disables the check.",
    ),
  },
  *judge(stack, { key, label }) {
    for (const group of groupsOf(stack, groups)) {
      yield* ofTaint(group, stack, key);
      if (label !== "") yield ofLabel(group, stack, label);
    }
  },
});

function* ofTaint(group: Resource, stack: Stack, key: string): Iterable<Check> {
  const isGpu = isGpuGroup(group, stack);
  const { path, shown, isHard, isOtherHard } = taintOf(group, key);
  const standard = `{ key: "${key}", value: "true", effect: "NO_SCHEDULE" }`;
  yield failIf(
    all(isGpu, not(any(isHard, isOtherHard))),
    () => ({
      path,
      got: shown,
      why: "Pods without a GPU can fill a GPU node, so pods that need the GPU find no memory or CPU. Only a taint with NO_SCHEDULE or NO_EXECUTE repels pods.",
      fix: `add ${standard} to taints`,
    }),
    group,
  );
  yield adviseIf(
    all(isGpu, isOtherHard, not(isHard)),
    () => ({
      path,
      got: "a taint with another key",
      why: `GPU workloads usually tolerate only ${key}. The GPU Operator and most examples therefore do not run on these nodes.`,
      fix: `add ${standard} to taints, or set "key" in the policy configuration to your key, and tolerate it in every workload for these nodes`,
    }),
    group,
  );
}

function ofLabel(group: Resource, stack: Stack, label: string): Check {
  const labels = group.entries("labels");
  const isLabelled = labels.is((entries) =>
    some(
      entries.filter(([name]) => name === label || name.startsWith(`${label}.`)),
      ([, value]) => not(value.text().isAbsent),
    ),
  );
  return adviseIf(
    all(isGpuGroup(group, stack), not(isLabelled)),
    () => ({
      path: "labels",
      got: labels.value ? "labels without this key" : labels.shown,
      why: "The labels of GPU feature discovery exist only after it finds a GPU. Without a label of the node group, nothing can select a node whose GPU is missing.",
      fix: `add "${label}": "true" to labels`,
    }),
    group,
  );
}

interface Taint {
  readonly path: string;
  readonly shown: string;
  /** Whether the taint repels pods. */
  readonly isHard: Truth;
  /** Whether a taint with another key repels pods. */
  readonly isOtherHard: Truth;
}

/** The effects in the spelling of EKS, which rejects any other. */
function taintOf(group: Resource, key: string): Taint {
  const taints = group.list("taints");
  const effectOf = (taint: Reader) => taint.choice("effect", ["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"]);
  const isHardWhere = (isKey: (name: string) => boolean) =>
    taints.is((items) =>
      some(items, (taint) =>
        all(
          taint.text("key").is(isKey),
          effectOf(taint).is((word) => word !== "PREFER_NO_SCHEDULE"),
        ),
      ),
    );
  const own = taints.value?.find((taint) => taint.text("key").is((name) => name === key) === true);
  const { path, shown } = own
    ? effectOf(own)
    : { path: "taints", shown: taints.value ? "a list without this key" : taints.shown };
  return { path, shown, isHard: isHardWhere((name) => name === key), isOtherHard: isHardWhere((name) => name !== key) };
}
