import { text } from "../../core/parameters";
import type { Reading } from "../../core/reading";
import type { Resource, Stack } from "../../core/resource";
import { adviseIf, failIf, stackRule, type Check } from "../../core/rule";
import { all, not, some, type Truth } from "../../core/unknown";
import { launchTemplate } from "../machines/launch-template";
import { groupsOf, isGpuGroup, managedNodeGroup, nodeGroup } from "./gpu-group";

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
    label: text("nvidia.com/gpu", "Key of a label that every GPU node has; an empty text wants none."),
  },
  *judge(stack, { key, label }) {
    for (const group of groupsOf(stack, groups)) {
      yield ofTaint(group, stack, key);
      if (label !== "") yield ofLabel(group, stack, label);
    }
  },
});

function ofTaint(group: Resource, stack: Stack, key: string): Check {
  const taint = taintOf(group, key);
  return failIf(
    all(isGpuGroup(group, stack), not(taint.isHard)),
    () => ({
      path: taint.path,
      got: taint.shown,
      why: "Any pod may fill a GPU node, and its memory and cores are gone for those that need the GPU. Only a taint with NO_SCHEDULE or NO_EXECUTE keeps pods away.",
      fix: `add { key: "${key}", value: "true", effect: "NO_SCHEDULE" } to taints`,
    }),
    group,
  );
}

function ofLabel(group: Resource, stack: Stack, label: string): Check {
  const labels = group.entries("labels");
  const isLabelled = labels.is((entries) =>
    some(
      entries.filter(([name]) => name === label),
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
  readonly isHard: Truth;
}

/** The effects of EKS; other spellings it refuses. */
function taintOf(group: Resource, key: string): Taint {
  const taints = group.list("taints");
  const effects: Reading<string>[] = [];
  const isHard = taints.is((items) =>
    some(items, (item) => {
      const isKey = item.text("key").is((name) => name === key);
      const effect = item.choice("effect", ["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"]);
      if (isKey === true) effects.push(effect);
      return all(
        isKey,
        effect.is((word) => word !== "PREFER_NO_SCHEDULE"),
      );
    }),
  );
  const [effect] = effects;
  if (effect) return { path: effect.path, shown: effect.shown, isHard };
  const shown = taints.value ? "a list without it" : taints.shown;
  return { path: "taints", shown, isHard };
}
