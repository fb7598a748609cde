import type { Reader } from "../../../components/core/reader/reader";
import { all, any, not, some, type Truth } from "../../../components/core/reader/truth";
import { text } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import { groupsOf, isGpuGroup, managedNodeGroup, nodeGroup } from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup];

/**
 * A `GpuNodeGroup` always sets taint and label, so only the group it makes is judged. Words of the configuration are no
 * secrets: messages show them.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-taints-managed-node-groups.html
 */
export const gpuTaintPresent = stackRule({
  id: "gpu-taint-present",
  title: "A taint keeps pods that need no GPU off GPU nodes.",
  severity: "high",
  incident:
    "pods without a GPU request filled the only GPU node, and the training job stayed Pending beside an idle GPU",
  types: [...groups, launchTemplate],
  parameters: {
    key: text("nvidia.com/gpu", "Key of the taint."),
    label: text(
      "nvidia.com/gpu",
      "Key of a label that every GPU node has, or what stands before a dot in it; an empty text wants none.",
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
      why: "Any pod may fill a GPU node, and its memory and cores are gone for those that need the GPU. Only a taint with NO_SCHEDULE or NO_EXECUTE keeps pods away.",
      fix: `add ${standard} to taints`,
    }),
    group,
  );
  yield adviseIf(
    all(isGpu, isOtherHard, not(isHard)),
    () => ({
      path,
      got: "a taint of another key",
      why: `It keeps other pods away as well, but whoever writes for GPU nodes expects ${key}: the GPU Operator and most examples tolerate no other, and stay away too.`,
      fix: `add ${standard} to taints, or set key in the policy configuration to yours and tolerate it in everything that is to run there`,
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
      got: labels.value ? "labels without it" : labels.shown,
      why: "Nothing can select GPU nodes before a GPU is found on them, which is too late for whoever looks for the GPU that is missing.",
      fix: `add "${label}": "true" to labels`,
    }),
    group,
  );
}

interface Taint {
  readonly path: string;
  readonly shown: string;
  /** Whether the taint keeps pods away. */
  readonly isHard: Truth;
  /** Whether one of another key does. */
  readonly isOtherHard: Truth;
}

/** The effects of EKS; other spellings it refuses. */
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
    : { path: "taints", shown: taints.value ? "a list without it" : taints.shown };
  return { path, shown, isHard: isHardWhere((name) => name === key), isOtherHard: isHardWhere((name) => name !== key) };
}
